import { expect, test } from 'vitest';
import type { PoolIndexState } from '../../pools/poolIndex.ts';
import type { LogGap } from '../market/findTokenPools.ts';
import { noRouteFlag } from './flags.ts';

test.each<[LogGap, Partial<PoolIndexState> | undefined, string]>([
  ['unread', { secondsLeft: 840 }, 'in the background (40 %); it is complete in about 14 min.'],
  ['unread', {}, 'in the background (40 %); GET /health shows its progress.'],
  [
    'unread',
    { status: 'complete' },
    'Only pools of the newest blocks are affected: request the quote again in a minute.',
  ],
  ['unread', { status: 'failing' }, 'A request soon will find the same.'],
  ['unread', { status: 'idle' }, 'the logs could not be read. Request the quote again in a minute.'],
  ['unread', undefined, 'the logs could not be read.'],
  ['pending', undefined, 'They are read now: request the quote again in a minute.'],
])('NO_ROUTE with the log gap %s and the index %j states when the pools are known', (logGap, index, expected) => {
  const poolIndex = index && {
    status: 'scanning' as const,
    blocksLeft: 6,
    target: 10,
    percent: 40,
    secondsLeft: undefined,
    reason: undefined,
    ...index,
  };
  const { message } = noRouteFlag({ considered: [], unread: [] } as never, { logGap, poolIndex });
  expect(message).toContain(expected);
  const isWorthwhile = logGap === 'pending' || index?.status === 'complete' || index?.status === 'idle';
  expect(/request the quote again/i.test(message)).toBe(isWorthwhile);
  expect(message.includes('GET /health')).toBe(index?.status === 'failing' || message.includes('shows its progress'));
});

test.each([
  [['one'], 'Pools that one lists were tried as well.'],
  [['one', 'two'], 'Pools that one and two list were tried as well.'],
])('NO_ROUTE names the third parties %j whose pools were tried', (hintSources, expected) => {
  const { message, facts } = noRouteFlag({ considered: [], unread: [] } as never, { hintSources });
  expect(message).toContain(expected);
  expect(facts).toMatchObject({ poolsListedBy: hintSources });
});

test('NO_ROUTE without third parties has no fact about them, and no advice of the index if the logs are truncated', () => {
  const poolIndex = { status: 'idle' } as PoolIndexState;
  const flag = noRouteFlag({ considered: [], unread: [] } as never, { logGap: 'truncated', poolIndex });
  expect(flag.facts).not.toHaveProperty('poolsListedBy');
  expect(flag.message).toMatch(/the token has more pools than are searched\.$/);
});
