/**
 * Words by what they are, in ROT13 so that no one has to read them. Only words that have hardly another use: those that
 * stand in ordinary texts and code as well are left out.
 */
export const LEXICON = {
  hate: 'avttre avttn avttref avttnf avttnm avtthu snttbg snttbgf snt sntf snttl xvxr xvxrf fcvp fcvpf puvax puvaxf tbbx tbbxf jrgonpx jrgonpxf ornare ornaref enturnq enturnqf gbjryurnq gbjryurnqf fnaqavttre qnexvr qnexvrf genaal genaavrf furznyr qlxr qlxrf cnxvf tlcb xnssve fhouhzna fhouhznaf ergneq ergneqf ergneqrq wvtnobb cbepuzbaxrl mvccreurnq',
  insult:
    'ovgpu ovgpurf ovgpul phag phagf juber juberf fyhg fyhgf fyhggl ubr ubrf gubg gubgf onfgneq onfgneqf nffubyr nffubyrf nefrubyr nefrubyrf qvpxurnq qvpxurnqf zbgureshpxre zbgureshpxref zbgureshpxvat zbgureshpxva jnaxre jnaxref gjng gjngf qbhpuront qbhpurontf qhzonff qhzonffrf wnpxnff fphzont fphzontf shpxgneq pbpxfhpxre pbpxfhpxref fuvgurnq fuvgurnqf shpxsnpr',
  profanity:
    'shpx shpxf shpxrq shpxre shpxref shpxvat shpxva shpxa shx shpxobl fuvg fuvgf fuvggl ohyyfuvg chffl chffvrf gvggvrf oybjwbo tbqqnza cvffrq jgs fgsh obyybpxf',
} as const satisfies Readonly<Record<string, string>>

/** Two or more words that are a threat or wish harm, in ROT13 and in their plain forms (word-scan.ts). */
export const THREATS =
  'xvyy lbhefrys|xvyy hefrys|xvyy he frys|xvyy lbhe frys|tb qvr|ubcr lbh qvr|ubcr h qvr|ubcr gurl qvr|v jvyy xvyy lbh|vz tbaan xvyy lbh|v nz tbvat gb xvyy lbh|vz tbvat gb xvyy lbh|vyy xvyy lbh|v xvyy lbh|lbh fubhyq qvr|lbh qrfreir gb qvr|gurl fubhyq nyy qvr|tnf gur|unat lbhefrys|qevax oyrnpu|fyvg lbhe guebng|fyvg lbhe jevfgf|fubbg lbh va gur|orng lbhe nff|encr lbh|ohea va uryy|v jvyy svaq lbh naq|fubhyq or rkgrezvangrq|fubhyq or fubg'

/** Letters of ROT13 back. */
export const plain = (text: string): string =>
  text.replace(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 84) % 26) + 97))
