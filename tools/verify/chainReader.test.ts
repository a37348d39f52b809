import { expect, test } from 'vitest';
import { type RpcCall, type RpcEndpoint, type RpcReply, RpcTransportError } from '../../engine/index.ts';
import { createChainReader } from './chainReader.ts';

const head = { number: '0x10', timestamp: '0x20' };

/** A node whose balances equal the addresses. `refuse` answers the batches of more than `most` calls. */
function nodeWith(most: number, refuse: (calls: readonly RpcCall[]) => RpcReply[]) {
  const sizes: number[] = [];
  const endpoint: RpcEndpoint = {
    label: 'node',
    async send(calls) {
      sizes.push(calls.length);
      if (calls.length > most) return refuse(calls);
      return calls.map(({ method, params }) => {
        const { to } = params[0] as { to: string };
        return { result: method === 'eth_call' ? `0x${to.slice(2).padStart(64, '0')}` : head };
      });
    },
  };
  return { endpoint, sizes };
}

const unreached = () => Promise.reject(new RpcTransportError('node could not be reached.')) as never;
const addresses = Array.from({ length: 25 }, (_, n) => `0x${(n + 1).toString(16).padStart(40, '0')}` as const);

async function readAll(endpoint: RpcEndpoint) {
  const reader = await createChainReader(endpoint);
  return Promise.all(addresses.map((address) => reader.call<bigint>(address, 'balance() view returns (uint256)')));
}

test.each<[string, (calls: readonly RpcCall[]) => RpcReply[]]>([
  [
    'an error for the whole batch',
    () => {
      throw new RpcTransportError('node returned HTTP 413.', { answered: true });
    },
  ],
  [
    'an error for each call',
    (calls) => calls.map(() => ({ error: { code: -32_600, message: 'batch limit of 3 exceeded' } })),
  ],
])('sends smaller batches to a node that refuses a large one with %s', async (_, refuse) => {
  const { endpoint, sizes } = nodeWith(3, refuse);
  const answers = await readAll(endpoint);
  expect(answers).toEqual(addresses.map((_address, n) => ({ status: 'answered', value: BigInt(n + 1) })));
  // The head, the batches that were refused, and the smaller ones.
  expect(sizes).toEqual([1, 20, 10, 5, ...Array(8).fill(3), 1]);
});

test('retries a batch that did not reach the node once, with the same calls', async () => {
  const { endpoint, sizes } = nodeWith(3, unreached);
  const answers = await readAll(endpoint);
  expect(answers).toEqual(addresses.map(() => ({ status: 'unread', why: 'node could not be reached.' })));
  expect(sizes).toEqual([1, 20, 20, 5, 5]);
});

test('the calls are unread if the node answers even a single call with an HTTP error', async () => {
  const { endpoint } = nodeWith(20, () => []);
  const reader = await createChainReader(endpoint);
  endpoint.send = () => Promise.reject(new RpcTransportError('node returned HTTP 500.', { answered: true }));
  expect(await reader.hasCode(addresses[0] as `0x${string}`)).toEqual({
    status: 'unread',
    why: 'node returned HTTP 500.',
  });
});
