import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodePaymentSignatureHeader } from '@x402/core/http';
import type { Hex, LocalAccount } from 'viem';
import { postJson, signOffer } from '../load/buyOnce.ts';
import { liveVariables } from '../load/liveVariables.ts';
import { serviceArguments } from '../load/serviceArguments.ts';
import { startMeasured } from '../load/startMeasured.ts';

/** Cache time of answers: short, so that each quote is read from the node. */
const freshnessMs = 100;

/**
 * Buys quotes on Base one after the other, from a complete service. Each quote has a
 * different size, and its payment is signed before the measured request.
 * @returns time from each paid request to its answer, in milliseconds
 */
export async function measurePaidQuotes(options: {
  target: { rpcUrl: string; payTo: Hex; facilitatorKey: Hex };
  quoteInput: { tokenIn: Hex; tokenOut: Hex };
  payer: LocalAccount;
  warmUp: number;
  count: number;
  /** Called between the warm-up and the measured quotes. */
  begin(): Promise<void>;
}): Promise<number[]> {
  const { target, quoteInput, payer, warmUp, count, begin } = options;
  const dataDir = await mkdtemp(join(tmpdir(), 'truefill-quotes-'));
  const service = await startMeasured({
    nodeArguments: serviceArguments,
    environment: liveVariables({ ...target, dataDir, freshnessMs }),
    pattern: /answers on (http:\S+)/,
  });
  const url = `${service.ready}/v1/quote`;

  async function buy(index: number): Promise<number> {
    const signature = encodePaymentSignatureHeader(await signOffer(url, payer));
    const body = { ...quoteInput, sizeIn: String(1 + index / 1_000) };
    const startedAt = performance.now();
    const response = await postJson(url, body, { 'payment-signature': signature });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`A paid quote returned ${response.status}: ${text.slice(0, 300)}`);
    return performance.now() - startedAt;
  }

  try {
    for (let index = 0; index < warmUp; index += 1) await buy(index);
    await begin();
    const took: number[] = [];
    for (let index = 0; index < count; index += 1) took.push(await buy(warmUp + index));
    return took;
  } finally {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
