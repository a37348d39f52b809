import { type Hex, pad, domainSeparator as viemSeparator } from 'viem';
import { expect, test } from 'vitest';
import { createScriptedChain, type ScriptedResult } from '../../../../tests/support/scriptedChain.ts';
import { asset, domain, payTo } from '../../../../tests/support/signedPayments.ts';
import { ChainUnreachableError } from '../../chainCall.ts';
import { PaymentNetworkMismatchError } from '../../networkMismatch.ts';
import { domainSeparator } from './authorization.ts';
import { checkNetwork } from './checkNetwork.ts';

/** As viem computes it. */
const separator = viemSeparator({ domain });
const config = { network: 'eip155:8453', chainId: 8453, asset, payTo, domain } as never;

function check(identities: (string | undefined)[], eth_call: ScriptedResult = separator) {
  const { chain, requests } = createScriptedChain({ eth_call });
  return { requests, done: checkNetwork(chain.call, async () => identities, config, domainSeparator(domain)) };
}

test("accepts a network whose chain id and domain separator are the configuration's", async () => {
  const { done, requests } = check(['0x2105', undefined]);
  await done;
  expect(requests).toEqual([
    { method: 'eth_call', params: [{ to: asset, data: '0x3644e515' }, 'latest'], isVerified: false },
  ]);
});

test('error: one of several URLs serves another chain', async () => {
  const { done, requests } = check([undefined, '0x2105', '0x89']);
  await expect(done).rejects.toThrow(PaymentNetworkMismatchError);
  await expect(done).rejects.toThrow('serves chain 137. Set the URL of an RPC for chain 8453');
  expect(requests).toEqual([]);
});

test('a URL whose chain id cannot be read is not taken for another chain', async () => {
  await expect(check([undefined]).done).resolves.toBeUndefined();
});

test("error: the token's domain separator is another one", async () => {
  const actual: Hex = pad('0x1');
  const { done } = check(['0x2105'], actual);
  await expect(done).rejects.toThrow(PaymentNetworkMismatchError);
  await expect(done).rejects.toThrow(`separator ${actual}; expected ${separator}`);
});

test('error: the node cannot be reached', async () => {
  await expect(check([], new ChainUnreachableError('down')).done).rejects.toThrow(ChainUnreachableError);
});
