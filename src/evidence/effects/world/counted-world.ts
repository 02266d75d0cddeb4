import type { World } from '../../../protocol/world.ts'

/** Names of a listing, and characters of a file, that count as one question more. */
const NAMES = 64
const CHARACTERS = 4_096

/** Length of a path: the folders of a longer one are resolved one by one. */
const ORDINARY = 128
const DEEP = 16

const costOf = (path: string): number => 1 + Math.max(0, path.length - ORDINARY) / DEEP

/**
 * A world whose questions are counted, known answers too: an analysis asks the same ones again wherever it multiplies.
 * @param spend counts; once it answers false nothing is asked any more, and every path seems to be missing
 */
export const createCountedWorld = (world: World, spend: (questions: number) => boolean): World => {
  const counted = <T>(answer: T, size: number): T => {
    spend(size)
    return answer
  }
  const text = (answer: string | null): string | null => counted(answer, (answer?.length ?? 0) / CHARACTERS)
  return Object.freeze<World>({
    realPath: (path) => (spend(costOf(path)) ? world.realPath(path) : path),
    pathKind: (path) => (spend(costOf(path)) ? world.pathKind(path) : 'missing'),
    list: (path) => {
      if (!spend(costOf(path))) return null
      const names = world.list(path)
      return counted(names, (names?.length ?? 0) / NAMES)
    },
    read: (path) => (spend(costOf(path)) ? text(world.read(path)) : null),
    readPart: (path, part) => (spend(costOf(path)) ? text(world.readPart(path, part)) : null),
    conceal: (path, look) => (spend(costOf(path)) ? text(world.conceal(path, look)) : null),
    env: (name) => world.env(name),
    home: world.home,
  })
}
