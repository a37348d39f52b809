import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { RpcCall } from '../../engine/index.ts';
import { type KeptConnections, keepConnections } from './keepConnections.ts';

let connections: KeptConnections;
let sent: string[];

beforeEach(() => {
  vi.useFakeTimers();
  connections = keepConnections(Date.now);
  sent = [];
  for (const [chain, method] of [
    ['base', 'eth_chainId'],
    ['solana', 'getHealth'],
  ] as const) {
    const endpoint = {
      send: async (calls: readonly RpcCall[]) => {
        sent.push(`${chain} ${calls.map((call) => call.method)}`);
        throw new RangeError('the node is down');
      },
    };
    connections.add(chain, { endpoint, method });
  }
});
afterEach(() => {
  connections.close();
  vi.useRealTimers();
});

test('sends nothing before a paid call', async () => {
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(sent).toEqual([]);
});

test('sends one small request every 20 s to the nodes of the used chain, for ten minutes after a paid call', async () => {
  connections.used('base');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sent).toEqual(Array(3).fill('base eth_chainId'));
  connections.used('base');
  connections.used('solana');
  sent = [];
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(sent.filter((request) => request === 'base eth_chainId')).toHaveLength(29);
  expect(sent.filter((request) => request === 'solana getHealth')).toHaveLength(29);
});

test('sends nothing after it is closed', async () => {
  connections.used('base');
  connections.close();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sent).toEqual([]);
});
