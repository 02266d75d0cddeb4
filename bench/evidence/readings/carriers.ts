import type { ValueKind } from './values.ts'

/** A text around a value: the parts before and after it. */
export interface Carrier {
  readonly name: string
  /** Names the kind of the value. */
  readonly labelled?: true
  readonly around: (kind: ValueKind) => readonly [before: string, behind: string]
  /** The notation of the value there. */
  readonly written?: (value: string) => string
}

const inJson = (value: string): string => JSON.stringify(value).slice(1, -1)

/** Texts as agents meet them. */
export const CARRIERS: readonly Carrier[] = [
  { name: 'alone', around: () => ['', ''] },
  { name: 'sentence', around: () => ['Please use ', ' for the next run and come back afterwards.'] },
  { name: 'label', labelled: true, around: ({ label }) => [`Name: Anna\n${label}: `, '\nStatus: open\n'] },
  {
    name: 'json',
    labelled: true,
    around: ({ label }) => [`{"row": 7, "${label.replaceAll(' ', '_')}": "`, '", "ok": true}'],
    written: inJson,
  },
  { name: 'log', around: () => ['2026-11-23T04:12:08Z INFO worker-3 got ', ' from upstream in 12 ms\n'] },
]

/** Tables without spaces behind the commas. */
export const TABLES: readonly Carrier[] = [
  { name: 'csv_row', around: () => ['Anna,', ',12/29\n'] },
  { name: 'csv_after_number', around: () => ['1,Anna,7,', ',12/29,4\n2,Ben,8,,01/30,5\n'] },
  { name: 'csv_first', around: () => ['', ',12/29,Anna\n'] },
  { name: 'csv_last', around: () => ['Anna,12/29,', '\nBen,01/30,\n'] },
  {
    name: 'csv_header',
    labelled: true,
    around: ({ label }) => [`id,name,${label.replaceAll(' ', '_')},city\n1,Anna,`, ',Bern\n2,Ben,,Wien\n'],
  },
  {
    name: 'csv_quoted',
    labelled: true,
    around: ({ label }) => [`"id","name","${label}","city"\n"1","Brandt, Anna","`, '","Bern"\n'],
  },
  { name: 'csv_semicolons', around: () => ['Anna;', ';12/29;Bern\n'] },
  { name: 'tsv_row', around: () => ['Anna\t', '\t12/29\tBern\n'] },
  {
    name: 'tsv_header',
    labelled: true,
    around: ({ label }) => [`id\tname\t${label.replaceAll(' ', '_')}\tcity\n1\tAnna\t`, '\tBern\n'],
  },
  {
    name: 'pipes',
    labelled: true,
    around: ({ label }) => [`| id | name | ${label} |\n|---|---|---|\n| 1 | Anna | `, ' |\n'],
  },
]
