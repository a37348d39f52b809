import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { PaymentConfig, PaymentNetworkConfig, PaymentTimings } from '../../server/payments/index.ts';
import {
  createEvmFacilitator,
  type FacilitatorFault,
  type FacilitatorServer,
  type Path,
  startFacilitatorServer,
} from './facilitatorServer.ts';
import { openPaymentFixture, type PaymentFixture } from './paymentFixture.ts';

/** The credential that services send to their facilitator. */
export const facilitatorKey = 'Bearer SECRET-KEY-OF-THE-FACILITATOR';

/** A payment fixture with the published facilitator over HTTP. Faults are reset after each test. */
export function useRemoteFacilitator() {
  let fixture: PaymentFixture;
  let facilitator: FacilitatorServer;
  let x402: ReturnType<typeof createEvmFacilitator>;
  beforeAll(async () => {
    fixture = await openPaymentFixture();
    x402 = createEvmFacilitator('eip155:8453', fixture.chain.rpcUrl, fixture.walletOf('facilitator').privateKey);
    facilitator = await startFacilitatorServer(x402);
  });
  afterEach(() => {
    facilitator.fault = () => undefined;
    facilitator.requests.length = 0;
  });
  afterAll(async () => {
    await facilitator?.close();
    await fixture?.close();
  });

  function remotely(
    config: PaymentConfig,
    url = facilitator.url,
    timings: Partial<PaymentTimings> = {},
  ): PaymentConfig {
    const remote = { url, headers: { authorization: facilitatorKey } };
    return {
      ...config,
      networks: config.networks.map(
        (network) => ({ ...network, facilitatorKey: undefined, remote }) as PaymentNetworkConfig,
      ),
      timings: { ...config.timings, facilitatorTimeoutMs: 3_000, facilitatorSettleTimeoutMs: 400, ...timings },
    };
  }

  return {
    get fixture() {
      return fixture;
    },
    get facilitator() {
      return facilitator;
    },
    get x402() {
      return x402;
    },
    remotely,
    open: (options: { file?: string; url?: string; timings?: Partial<PaymentTimings> } = {}) =>
      fixture.openPaymentService({
        ...(options.file && { file: options.file }),
        change: (config) => remotely(config, options.url, options.timings),
      }),
    /** Injects the fault into the first request to this path. */
    once(path: Path, fault: FacilitatorFault): void {
      let matches = 0;
      facilitator.fault = (requested) => (requested === path && matches++ === 0 ? fault : undefined);
    },
    /** Injects the fault into every request to this path. */
    always(path: Path, fault: FacilitatorFault): void {
      facilitator.fault = (requested) => (requested === path ? fault : undefined);
    },
    expectNoSecret(value: unknown): void {
      expect(inspect(value, { depth: 12 })).not.toMatch(
        new RegExp(`SECRET|${new URL(facilitator.url).host}|at .*\\.ts`),
      );
    },
  };
}
