import { describe, expect, test } from 'vitest';
import { toLowerAddress } from '../../lowerAddress.ts';
import { poolTopics } from '../../pools/poolEvents.ts';
import { fromPoolLogReplies, toPoolLogCalls } from '../../pools/poolLogs.ts';
import { toCandidatePools } from '../../venues/families.ts';
import { kinds, noHooks } from '../../venues/kinds.ts';
import { splitListed } from './splitListed.ts';

const word = (low: string) => `0x${low.padStart(64, '0')}`;
const log = {
  address: '0xFACADE0000000000000000000000000000000001',
  topics: [poolTopics.solidly, word('aa'), word('bb'), word('1')],
  data: `${word('cc')}${word('1').slice(2)}`,
  blockNumber: '0x10',
};

test('default: decodes a pool from a log of its factory', () => {
  expect(fromPoolLogReplies([{ result: [log] }])).toMatchObject({
    status: 'read',
    creations: [{ event: 'solidly', id: `0x${'cc'.padStart(40, '0')}`, fee: 1, hooks: noHooks, blockNumber: 16 }],
  });
});

test.for([
  ['a topic without digits', { topics: [...log.topics.slice(0, 3), '0x'] }],
  ['a block number without digits', { blockNumber: '0x' }],
  ['a block number beyond the largest number', { blockNumber: `0x${'f'.repeat(300)}` }],
] as const)('behavior: the logs are unread if one has %s', ([, part]) => {
  expect(fromPoolLogReplies([{ result: [{ ...log, ...part }] }])).toMatchObject({ status: 'unread' });
});

describe("a custom pool in addition to a pair's default pool", () => {
  const addressOf = (low: string) => toLowerAddress(`0x${low.padStart(40, '0')}`);
  const [token, base, pool] = [addressOf('aa'), addressOf('bb'), addressOf('cc')];
  const candidatePools = toCandidatePools([
    { family: 'algebra', venue: 'integral', factory: log.address as `0x${string}` },
  ]);
  const wrapped = '0x4200000000000000000000000000000000000006' as const;
  const lists = { candidatePools, bases: [{ address: base }], wrapped };
  const custom = {
    ...log,
    topics: [poolTopics['algebra-custom'], word('dd'), word('aa'), word('bb')],
    data: word('cc'),
  };
  const asDefault = { ...log, topics: [poolTopics.algebra, word('aa'), word('bb')], data: word('cc') };
  const found = (...logs: unknown[]) => {
    const read = fromPoolLogReplies([{ result: logs }]);
    if (read.status !== 'read') throw new TypeError(read.reason);
    return splitListed(read.creations, token, lists);
  };

  test('default: is unlisted, because it is not a candidate pool', () => {
    const known = { kind: kinds.algebra, pool, counter: base, venue: 'integral' };
    expect(found(custom)).toEqual({ listed: [], unlisted: [expect.objectContaining(known)] });
  });

  test.for([
    ['before', [asDefault, custom]],
    ['after', [custom, asDefault]],
  ] as const)('behavior: is unlisted when a log %s it describes it as the default pool', ([, logs]) => {
    expect(found(...logs)).toEqual(found(custom));
    expect(found(asDefault).listed).toHaveLength(1);
  });

  test('behavior: filters its event by the second and third indexed words', () => {
    const calls = toPoolLogCalls([base], candidatePools, { from: 0n, seenHead: undefined, longest: undefined });
    const filters = calls.map(({ params }) => (params[0] as { topics: unknown[] }).topics);
    const ofCustom = filters.filter(([names]) => (names as string[] | null)?.includes(poolTopics['algebra-custom']));
    expect(ofCustom.map((topics) => topics.length).sort()).toEqual([3, 4]);
  });
});
