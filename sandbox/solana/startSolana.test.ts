import { createKeyPairSignerFromBytes, getBase58Encoder } from '@solana/kit';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { expect, test } from 'vitest';
import { startSolana } from './startSolana.ts';

async function request<T>(rpcUrl: string, method: string, ...params: unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const reply = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { result, error } = (await reply.json()) as { result: T; error?: { message: string } };
  if (error) throw new Error(error.message);
  return result;
}

test('default: the published client builds a transfer that lacks only signatures', async () => {
  const solana = await startSolana();
  const [demo, facilitator, payTo] = solana.wallets;
  if (!demo || !facilitator || !payTo) throw new TypeError('The local Solana has fewer than three wallets.');
  const signer = await createKeyPairSignerFromBytes(new Uint8Array(getBase58Encoder().encode(demo.secretKey)));
  expect(signer.address).toBe(demo.address);
  const { payload } = await new ExactSvmScheme(signer, { rpcUrl: solana.rpcUrl }).createPaymentPayload(2, {
    scheme: 'exact',
    network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    asset: solana.usdc,
    amount: '20000',
    payTo: payTo.address,
    maxTimeoutSeconds: 60,
    extra: { feePayer: facilitator.address },
  });
  const { transaction } = payload as { transaction: string };
  const simulate = () =>
    request<{ value: { err: unknown } }>(solana.rpcUrl, 'simulateTransaction', transaction, { encoding: 'base64' });
  expect((await simulate()).value.err).toBeNull();
  await expect(request(solana.rpcUrl, 'sendTransaction', transaction, { encoding: 'base64' })).rejects.toThrow(
    /signature/,
  );

  await solana.setUsdcBalance(demo.address, 19_999n);
  expect((await simulate()).value.err).toEqual({ InstructionError: [2, { Custom: 1 }] });
  solana.skipSlots(151);
  expect((await simulate()).value.err).toBe('BlockhashNotFound');
  await solana.close();
});

test('behavior: unknown methods and invalid parameters return errors, an unknown account null', async () => {
  const solana = await startSolana();
  await expect(request(solana.rpcUrl, 'constructor')).rejects.toThrow('Method not found');
  await expect(request(solana.rpcUrl, 'sendTransaction', 'AQ==', { encoding: 'base64' })).rejects.toThrow();
  expect(await request(solana.rpcUrl, 'getAccountInfo', '11111111111111111111111111111112')).toMatchObject({
    value: null,
  });
  await solana.close();
});
