import { expect, test } from 'vitest';
import type { RpcEndpoint } from '../engine/index.ts';
import { type ClockSkew, watchClock } from './clockWatch.ts';

const noon = Date.UTC(2026, 10, 21, 12);

interface Chain {
  /** Seconds by which its blocks are ahead of noon. */
  offset: number;
  advances?: boolean;
  isDown?: boolean;
}

function open(chains: Chain[]) {
  let time = noon;
  const changes: (ClockSkew | undefined)[] = [];
  const endpointOf = (chain: Chain): RpcEndpoint => {
    let number = 100;
    return {
      label: 'node',
      async send() {
        if (chain.isDown) throw new Error('down');
        if (chain.advances ?? true) number += 1;
        const timestamp = `0x${Math.floor(time / 1_000 + chain.offset).toString(16)}`;
        return [{ result: { number: `0x${number.toString(16)}`, timestamp } }] as never;
      },
    };
  };
  const watch = watchClock({
    chains: chains.map((chain) => [endpointOf(chain)]),
    now: () => time,
    onChange: (skew) => changes.push(skew),
    pause: async (ms) => {
      time += ms;
    },
  });
  return { watch, changes };
}

test.each([
  ['ten minutes ahead of the chains', -600, '2026-11-21T11:50:05.000Z'],
  ['31 s ahead of the chains', -31, '2026-11-21T11:59:34.000Z'],
  ['31 s behind the chains', 31, '2026-11-21T12:00:36.000Z'],
])('error: reports both times if the clock is %s', async (_case, offset, chainTime) => {
  const { watch, changes } = open([{ offset }]);
  await watch.check();
  expect(watch.skew()?.chainTime).toBe(chainTime);
  expect(changes).toHaveLength(1);
  watch.close();
});

test.each<[string, Chain[]]>([
  ['30 s of difference', [{ offset: -30 }]],
  ['a chain that does not advance', [{ offset: -600, advances: false }]],
  ['a lagging chain beside one that agrees', [{ offset: -600 }, { offset: -2 }]],
  ['unreachable nodes', [{ offset: -600, isDown: true }]],
  ['no chain', []],
])('behavior: %s is no skew', async (_case, chains) => {
  const { watch, changes } = open(chains);
  await watch.check();
  expect(watch.skew()).toBeUndefined();
  expect(changes).toEqual([]);
  watch.close();
});

test('behavior: reports once when the clock is right again; an outage changes nothing', async () => {
  const chain: Chain = { offset: -600 };
  const { watch, changes } = open([chain]);
  await watch.check();
  chain.isDown = true;
  await watch.check();
  expect(watch.skew()).toBeDefined();
  Object.assign(chain, { isDown: false, offset: 0 });
  await watch.check();
  await watch.check();
  expect(watch.skew()).toBeUndefined();
  expect(changes.map((skew) => skew === undefined)).toEqual([false, true]);
  watch.close();
});
