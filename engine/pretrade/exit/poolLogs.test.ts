import { expect, test } from 'vitest';
import { noHooks } from '../../venues/kinds.ts';
import { poolTopics } from './poolEvents.ts';
import { fromPoolLogReplies } from './poolLogs.ts';

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
