import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodePaymentSignatureHeader } from '@x402/core/http';
import type { Hex, LocalAccount } from 'viem';
import { postJson, signOffer } from '../load/buyOnce.ts';
import { liveVariables } from '../load/liveVariables.ts';
import { serviceArguments, serviceArgumentsOf } from '../load/serviceArguments.ts';
import { startMeasured } from '../load/startMeasured.ts';

/** Cache time of answers: short, so that each quote is read from the node. */
const freshnessMs = 100;

/**
 * Starts a complete service that sells quotes on Base. Each purchase has a different size, and its payment is signed
 * before the measured request.
 *
 * @param options.checkout folder of another checkout whose service is measured; default: this one
 */
export async function startQuoteService(options: {
  target: { rpcUrl: string; payTo: Hex; facilitatorKey: Hex };
  quoteInput: { tokenIn: Hex; tokenOut: Hex };
  payer: LocalAccount;
  checkout?: string | undefined;
}) {
  const { target, quoteInput, payer, checkout } = options;
  const dataDir = await mkdtemp(join(tmpdir(), 'truefill-quotes-'));
  const service = await startMeasured({
    nodeArguments: checkout ? serviceArgumentsOf(checkout) : serviceArguments,
    environment: liveVariables({ ...target, dataDir, freshnessMs }),
    pattern: /answers on (http:\S+)/,
  });
  const url = `${service.ready}/v1/quote`;
  let bought = 0;
  return {
    /** Buys a quote. @returns milliseconds from the paid request to its answer @throws {Error} if there is no answer */
    async buy(): Promise<number> {
      bought += 1;
      const signature = encodePaymentSignatureHeader(await signOffer(url, payer));
      const body = { ...quoteInput, sizeIn: String(1 + bought / 1_000) };
      const startedAt = performance.now();
      const response = await postJson(url, body, { 'payment-signature': signature });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`A paid quote returned ${response.status}: ${text.slice(0, 300)}`);
      return performance.now() - startedAt;
    },
    async stop() {
      await service.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
