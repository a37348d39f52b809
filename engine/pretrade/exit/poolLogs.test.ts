import { describe, expect, test } from 'vitest';
import { toLowerAddress } from '../../lowerAddress.ts';
import { poolTopics } from '../../pools/poolEvents.ts';
import { fromPoolLogReplies, toPoolLogCalls } from '../../pools/poolLogs.ts';
import { kinds, noHooks } from '../../venues/kinds.ts';
import { toSlots } from '../../venues/toSlots.ts';
import { splitListed } from './splitListed.ts';

const word = (low: string) => `0x${low.padStart(64, '0')}`;
const log = {
  address: '0xFACADE0000000000000000000000000000000001',
  topics: [poolTopics.solidly, word('aa'), word('bb'), word('1')],
  data: `${word('cc')}${word('1').slice(2)}`,
  blockNumber: '0x10',
};

test('default: a log of a factory is a pool', () => {
  expect(fromPoolLogReplies([{ result: [log] }])).toMatchObject({
    status: 'read',
    creations: [{ event: 'solidly', id: `0x${'cc'.padStart(40, '0')}`, fee: 1, hooks: noHooks, blockNumber: 16 }],
  });
});

test.for([
  ['a topic of no digits', { topics: [...log.topics.slice(0, 3), '0x'] }],
  ['a block number of no digits', { blockNumber: '0x' }],
  ['a block number that no number holds', { blockNumber: `0x${'f'.repeat(300)}` }],
] as const)('behavior: %s leaves the logs unread, and nothing of it is remembered', ([, part]) => {
  expect(fromPoolLogReplies([{ result: [{ ...log, ...part }] }])).toMatchObject({ status: 'unread' });
});

describe("a custom pool beside a pair's own", () => {
  const addressOf = (low: string) => toLowerAddress(`0x${low.padStart(40, '0')}`);
  const [token, base, pool] = [addressOf('aa'), addressOf('bb'), addressOf('cc')];
  const slots = toSlots([{ family: 'algebra', venue: 'integral', factory: log.address as `0x${string}` }]);
  const wrapped = '0x4200000000000000000000000000000000000006' as const;
  const lists = { slots, bases: [{ address: base }], wrapped };
  const custom = {
    ...log,
    topics: [poolTopics['algebra-custom'], word('dd'), word('aa'), word('bb')],
    data: word('cc'),
  };
  const asOwn = { ...log, topics: [poolTopics.algebra, word('aa'), word('bb')], data: word('cc') };
  const found = (...logs: unknown[]) => {
    const read = fromPoolLogReplies([{ result: logs }]);
    if (read.status !== 'read') throw new TypeError(read.reason);
    return splitListed(read.creations, token, lists);
  };

  test('default: no slot finds it, so that it is looked at by its own address', () => {
    const known = { kind: kinds.algebra, pool, counter: base, venue: 'integral' };
    expect(found(custom)).toEqual({ listed: [], unlisted: [expect.objectContaining(known)] });
  });

  test.for([
    ['before', [asOwn, custom]],
    ['after', [custom, asOwn]],
  ] as const)(
    'behavior: also logged as the pair’s own pool (%s), it is not a pool that the factory denies',
    ([, logs]) => {
      expect(found(...logs)).toEqual(found(custom));
      expect(found(asOwn).listed).toHaveLength(1);
    },
  );

  test('behavior: its tokens stand one topic later, and are asked for there', () => {
    const calls = toPoolLogCalls([base], slots, { from: 0n, seenHead: undefined, longest: undefined });
    const filters = calls.map(({ params }) => (params[0] as { topics: unknown[] }).topics);
    const asked = filters.filter(([names]) => (names as string[]).includes(poolTopics['algebra-custom']));
    expect(asked.map((topics) => topics.length).sort()).toEqual([3, 4]);
  });
});
