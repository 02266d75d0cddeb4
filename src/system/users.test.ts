import { expect, test } from 'vitest'
import { findUser, groupsOf, strongGroups } from './users.ts'

const ANN = { name: 'ann', uid: 1000, gid: 100, home: '/home/ann', shell: '/bin/bash' }

test('users are found by name and by id', () => {
  expect(findUser('root')).toMatchObject({ uid: 0, home: '/root' })
  expect(findUser(0)?.name).toBe('root')
  expect(findUser('there-is-no-such-user')).toBeUndefined()
})

test('groups are those that name the user, and the user’s own', () => {
  const groups = 'root:x:0:\nusers:x:100:\nsudo:x:27:ann,bob\ndocker:x:999:bob,ann\nannex:x:5:anna\n'
  expect(groupsOf(ANN, groups)).toEqual(['users', 'sudo', 'docker'])
})

test('groups that make a user as powerful as root are distinguished by the need for a password', () => {
  expect(strongGroups(['users', 'sudo', 'docker'])).toEqual({ atOnce: ['docker'], byPassword: ['sudo'] })
})
