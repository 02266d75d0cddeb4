/** A file is named after things, and opens nothing. */
const FILE = /\.[a-z]{1,4}\d?$/i
const ENTRANCE =
  /^(?:(?:smart|front|back|house|car|main|garage)?(?:locks?|doors?|gates?)|deadbolts?|garages?|alarms?|alarmo|trunk|safe|cars?|vehicles?|entrance)$/
const DOOR = /^(?:(?:front|back|house|car|main|garage)?(?:doors?|gates?)|garages?|trunk|deadbolts?)$/

/** Whether the words of a call open a door of the world: `lock.unlock`, `home/gate/set OPEN`, `alarm disarm`. */
export const opensEntrance = (texts: readonly string[]): boolean => {
  if (!texts.some((text) => /unlock|disarm|open/i.test(text))) return false
  const said = texts.flatMap((text) =>
    FILE.test(text) || text.length > 512 ? [] : text.toLowerCase().split(/[^a-z]+/),
  )
  return (
    (said.some((word) => /^(?:unlock|disarm)(?:ed)?$/.test(word)) && said.some((word) => ENTRANCE.test(word))) ||
    (said.includes('open') && said.some((word) => DOOR.test(word)))
  )
}
