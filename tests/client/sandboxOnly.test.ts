import { generateKeyPairSigner } from '@solana/kit';
import { expect, test } from 'vitest';
import { createTruefillClient, SandboxError } from '../../client/index.ts';
import { encode, offer, startScriptedService } from './scriptedService.ts';

test('error: with allowSandbox only, refuses a Solana payment whose blockhash would be from mainnet', async () => {
  const sandboxUsdc = offer('20000', 'eip155:8453', 'USD Coin (truefill sandbox)').accepts;
  const solana = {
    ...sandboxUsdc[0],
    network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    extra: {},
  };
  const header = encode({ ...offer(), accepts: [...sandboxUsdc, solana] });
  const server = await startScriptedService([{ status: 402, headers: { 'payment-required': header }, body: {} }]);
  const wallet = await generateKeyPairSigner();
  const truefill = createTruefillClient({ url: server.url, wallet, allowSandbox: 'only' });
  const call = truefill.pretradeCheck({ token: '0x4200000000000000000000000000000000000006' });
  const error = await call.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(SandboxError);
  expect(String(error)).toContain('pass solanaRpcUrl of the sandbox');
  expect(server.signatures).toEqual([undefined]);
  expect(truefill.spentUsd).toBe(0);
  await server.close();
});
