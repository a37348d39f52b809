import { numberToHex } from 'viem';
import { expect, test } from 'vitest';
import type { LogRpc } from './logRpc.ts';
import { readSettledBlock } from './readSettledBlock.ts';

/** The settled block of a chain at block 10,000 with this interval, as a distance from the head. */
async function distanceAt(seconds: number, number = 10_000): Promise<number> {
  const timeOf = (block: number) => Math.floor(1_700_000_000 + block * seconds);
  const rpc: LogRpc = {
    async send([call]) {
      const block = Number(call?.params[0]);
      return [
        { result: { number: numberToHex(block), hash: `0x${'11'.repeat(32)}`, timestamp: numberToHex(timeOf(block)) } },
      ];
    },
  };
  return number - (await readSettledBlock(rpc, { number, timestamp: timeOf(number) }));
}

test.each([
  ['five blocks a second', 0.2, 300],
  ['four blocks a second', 0.25, 240],
  ['a block every 1.75 s: at least 64 blocks', 1.75, 64],
  ['a block an hour', 3_600, 64],
  ['all blocks in one second', 0, 1_200],
])('blocks of the last minute are unsettled, with %s', async (_name, seconds, blocks) => {
  expect(await distanceAt(seconds)).toBe(blocks);
});

test('no block of a young chain is settled', async () => {
  expect(await distanceAt(0.2, 20)).toBe(300);
});
