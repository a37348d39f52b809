/**
 * npm run bench:signatures [-- --seconds 2]
 *
 * Measures the CPU time of one payment attempt before any RPC: the payment service's digest and recovery of the signer,
 * native and in WebAssembly, and viem's recoverTypedDataAddress. Also measures the cost of a message to a worker thread.
 */
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { authorizationTypes } from '@x402/evm';
import { recoverTypedDataAddress } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import {
  authorizationDigest,
  domainSeparator,
  openNative,
  openWasm,
  type RecoverKey,
  recoverSigner,
} from '../../server/payments/index.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '2' } } });
const budgetMs = Number(values.seconds) * 1000;

const account = privateKeyToAccount(generatePrivateKey());
const domain = {
  name: 'USD Coin',
  version: '2',
  chainId: 8453,
  verifyingContract: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
} as const;
const message = {
  from: account.address,
  to: '0x2222222222222222222222222222222222222222',
  value: 20_000n,
  validAfter: 0n,
  validBefore: 2_000_000_000n,
  nonce: `0x${'ab'.repeat(32)}`,
} as const;
const typedData = { domain, types: authorizationTypes, primaryType: 'TransferWithAuthorization', message } as const;
const signature = await account.signTypedData(typedData);
const separator = domainSeparator(domain);

/** Prints and returns the CPU time per call in microseconds. Other processes do not affect it. */
async function measure(name: string, run: () => unknown): Promise<number> {
  for (let index = 0; index < 20; index += 1) await run();
  const [started, cpu] = [performance.now(), process.cpuUsage()];
  let count = 0;
  while (performance.now() - started < budgetMs) {
    await run();
    count += 1;
  }
  const { user, system } = process.cpuUsage(cpu);
  const micros = (user + system) / count;
  console.log(`${name.padEnd(44)} ${micros.toFixed(0).padStart(6)} µs CPU  ${Math.round(1e6 / micros)}/s per core`);
  return micros;
}

async function measureRecovery(name: string, recover: RecoverKey): Promise<number> {
  return measure(name, () => {
    const signer = recoverSigner(authorizationDigest(separator, { ...message, signature }), signature, recover);
    if (signer !== account.address.toLowerCase()) throw new Error('Recovered the wrong signer.');
  });
}

const native = openNative()?.recover;
const nativeMicros = native ? await measureRecovery('digest and signer, native', native) : undefined;
await measureRecovery('digest and signer, WebAssembly', (await openWasm()).recover);
const viemMicros = await measure('viem, recoverTypedDataAddress', async () => {
  if ((await recoverTypedDataAddress({ ...typedData, signature })) !== account.address)
    throw new Error('viem recovered the wrong signer.');
});

const echo = new Worker(
  "const { parentPort } = require('node:worker_threads'); parentPort.on('message', (m) => parentPort.postMessage(m))",
  {
    eval: true,
  },
);
await measure('a message to a worker thread and back', async () => {
  const answered = once(echo, 'message');
  echo.postMessage(signature);
  await answered;
});
await echo.terminate();
if (nativeMicros) console.log(`native is ${(viemMicros / nativeMicros).toFixed(1)} times as fast as viem`);
