import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { readArguments } from '../io/arguments.ts'
import { acceptAsWritten } from '../../assembly/integrity/accept-files.ts'
import { dataFiles, dataFolder } from '../../config/data-folder.ts'
import { CONFIG_FILE, configLocations } from '../../config/locations.ts'
import { createTextScanner } from '../../assembly/detection/text-scan.ts'
import type { TextScanner } from '../../assembly/detection/text-scan.ts'
import { writeSettings } from '../../config/write-setting.ts'
import { SallyportError } from '../../errors/errors.ts'
import { isObject } from '../../protocol/json.ts'
import { CHANNELS, isChannel } from '../../protocol/step.ts'
import type { Channel } from '../../protocol/step.ts'
import type { Command, Io } from '../io/io.ts'
import { counted, visible } from '../views/trace-view.ts'
import { writtenConfig } from '../io/written-config.ts'

/** A threshold found on texts of a channel that are all benign. */
interface Threshold {
  /** Probability from which a text is found; four places. */
  readonly threshold: number
  /** Number of texts that it was computed from. */
  readonly texts: number
  /** Share of them that it would find. */
  readonly falseAlarms: number
  /** The current threshold, and how many of the texts it finds. */
  readonly now: { readonly threshold: number; readonly finds: number }
}

const PLACES = 10_000

/**
 * The lowest threshold at which at most a given share of benign texts is found. Scores are probabilities, and a text
 * that reaches the threshold is found; so it is just above the score of the first text that must not be found.
 */
export const thresholdFor = (scores: readonly number[], falseAlarms: number, inForce: number): Threshold => {
  const highestFirst = scores.toSorted((a, b) => b - a)
  const first = highestFirst[Math.floor(falseAlarms * scores.length)] ?? 0
  const threshold = Math.min(PLACES, Math.floor(first * PLACES) + 1) / PLACES
  const finds = (from: number): number => scores.filter((score) => score >= from).length
  return {
    threshold,
    texts: scores.length,
    falseAlarms: scores.length === 0 ? 0 : finds(threshold) / scores.length,
    now: { threshold: inForce, finds: finds(inForce) },
  }
}

/** Fewest texts for which a share of false alarms differs from zero. */
const textsNeeded = (falseAlarms: number): number => Math.ceil(1 / falseAlarms)

const USAGE = `Usage: sallyport calibrate FILE --false-alarms SHARE [--channel CHANNEL] [--write]

Sets the probability from which a text counts as an injection, so that at most SHARE of your own benign texts are
flagged. FILE contains only harmless texts: JSON lines {"text","channel"?}, or plain text, one per line. A text without
a channel counts for every channel, or for the given one.

  --false-alarms SHARE  share of texts, such as 0.01
  --channel CHANNEL     user, tool, memory, knowledge or agent
  --write               write the thresholds into your sallyport.yaml instead of printing them`

const misuse = (detail: string): SallyportError => new SallyportError('SP_USAGE', { detail, command: 'calibrate' })

/** A benign text and its channels. */
interface Benign {
  readonly text: string
  readonly channels: readonly Channel[]
}

const benignOf = (line: string, number: number, fallback: readonly Channel[]): Benign => {
  if (!line.trimStart().startsWith('{')) return { text: line, channels: fallback }
  const wrong = (detail: string): SallyportError => misuse(`Line ${number}: ${detail}.`)
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw wrong('it starts like JSON but is not valid JSON')
  }
  if (!isObject(value) || typeof value['text'] !== 'string') throw wrong('text must be text')
  const { channel } = value
  if (channel !== undefined && !isChannel(channel)) throw wrong(`channel must be one of ${CHANNELS.join(', ')}`)
  return { text: value['text'], channels: channel === undefined ? fallback : [channel] }
}

const readBenign = (path: string, fallback: readonly Channel[]): readonly Benign[] => {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    throw misuse(`${visible(path)} cannot be read.`)
  }
  return text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [benignOf(line, index + 1, fallback)]))
}

/** A threshold for every channel with texts. */
const calibrated = (
  texts: readonly Benign[],
  scanner: TextScanner,
  falseAlarms: number,
): readonly (readonly [Channel, Threshold])[] =>
  CHANNELS.flatMap((channel) => {
    const scores = texts
      .filter(({ channels }) => channels.includes(channel))
      .map(({ text }) => scanner.scan(text, channel).scores.injection)
    return scores.length === 0
      ? []
      : [[channel, thresholdFor(scores, falseAlarms, scanner.thresholds[channel])] as const]
  })

const shareOf = (text: string | undefined): number => {
  const share = Number(text)
  if (text === undefined || !(share > 0 && share < 1)) throw misuse('--false-alarms takes a share between 0 and 1.')
  return share
}

const reportWeak = (found: readonly (readonly [Channel, Threshold])[], falseAlarms: number, io: Io): void => {
  for (const [channel, { texts }] of found)
    if (texts < textsNeeded(falseAlarms))
      io.err(
        `warning: ${channel}: ${counted(texts, 'text')} cannot show a share of ${falseAlarms}; that takes at least ${textsNeeded(falseAlarms)}, preferably ten times as many.`,
      )
}

/** `sallyport calibrate`. */
export const calibrate: Command = {
  name: 'calibrate',
  summary: 'set the injection thresholds from your own benign texts',
  usage: USAGE,
  async run(args, io) {
    const { values, positionals } = readArguments(args, {
      'false-alarms': { type: 'string' },
      channel: { type: 'string' },
      write: { type: 'boolean', default: false },
    })
    const falseAlarms = shareOf(values['false-alarms'])
    const [file, ...more] = positionals
    if (file === undefined || more.length > 0) throw misuse('calibrate takes one file.')
    if (values.channel !== undefined && !isChannel(values.channel))
      throw misuse(`--channel is one of ${CHANNELS.join(', ')}.`)
    const texts = readBenign(resolve(io.cwd, file), values.channel === undefined ? CHANNELS : [values.channel])
    if (texts.length === 0) throw misuse(`${visible(file)} contains no text.`)
    const found = calibrated(texts, createTextScanner(writtenConfig(io)), falseAlarms)
    reportWeak(found, falseAlarms, io)
    if (values.write) {
      const path = join(configLocations(io.env, io.home, process.platform).user, CONFIG_FILE)
      writeSettings(
        path,
        found.map(([channel, { threshold }]) => ({ path: ['thresholds', 'injection', channel], value: threshold })),
      )
      const data = dataFolder(undefined, io.env, io.home)
      if (existsSync(dataFiles(data).accepted)) acceptAsWritten(data, [path])
      io.out(`${path}: ${counted(found.length, 'threshold')} written.`)
    } else {
      io.out('thresholds:\n  injection:')
      for (const [channel, { threshold, texts: count, falseAlarms: share, now }] of found)
        io.out(
          `    ${channel}: ${threshold} # flags ${Math.round(share * count)} of ${counted(count, 'text')}; the current ${now.threshold} flags ${now.finds}`,
        )
      io.err(
        'Put this into your sallyport.yaml, or run again with --write. A lower threshold flags more texts, attacks and benign ones.',
      )
    }
    return 0
  },
}
