import { admit } from './admit.ts';
import {
  type CashierConfig,
  type CashierTimings,
  defaultContractWalletGasUsdPerHour,
  defaultTimings,
} from './cashierConfig.ts';
import type { Cashier } from './cashierTypes.ts';
import { type Desk, offerOf } from './desk.ts';
import { waitFor } from './flight.ts';
import { createGasAllowance } from './gasAllowance.ts';
import { watchGas } from './gasWatch.ts';
import { keepOffers } from './keepOffers.ts';
import { lookAround } from './lookAround.ts';
import { openRails } from './openRails.ts';
import { takeUpUnfinished } from './takeUpUnfinished.ts';
import { watchPaid } from './watchPaid.ts';
import { watchRails } from './watchRails.ts';

/**
 * The cashier: turns PAYMENT-SIGNATURE into an admission, with the money settled before the work.
 *
 * Checks each network (an RPC that is down now is checked with its first payment) and takes up again, in
 * the background, what an earlier process left unfinished. The ledger stays the caller's: close it after the cashier.
 *
 * @throws {PaymentNetworkMismatchError} an RPC leads to another chain, or the asset is another token.
 * @example
 * const { ledger } = await openStores({ file: 'data/truefill.sqlite' }, Date.now);
 * const cashier = await createCashier({ networks, offers, ledger, now: Date.now, logger });
 * const admission = await cashier.admit({ paid: 'quote', route: 'POST /v1/quote', canonicalInput, paymentHeader });
 */
export async function createCashier(config: CashierConfig): Promise<Cashier> {
  const { networks, ledger, logger, now } = config;
  const timings: CashierTimings = { ...defaultTimings, ...config.timings };
  const usdPerHour = config.contractWalletGasUsdPerHour ?? defaultContractWalletGasUsdPerHour;
  const onEvent = config.onEvent ?? (() => undefined);
  const means = {
    ledger,
    onEvent,
    preconfirmedNetworks: config.preconfirmedNetworks ?? [],
    contractWalletGas: createGasAllowance('contract wallets', ledger, usdPerHour, logger),
    concurrentGas: createGasAllowance('concurrent payments', ledger, usdPerHour, logger),
  };
  const desk: Desk = {
    offers: new Map(),
    rails: watchRails(openRails(networks, timings, logger, means), config.watch),
    flights: new Map(),
    examining: new Map(),
    leaving: new Map(),
    limitPayer: config.limitPayer ?? (() => undefined),
    onEvent,
    freeTrialsPerIp: config.freeTrialsPerIp,
    ledger,
    now,
    logger,
    timings,
  };
  const rails = [...desk.rails.values()];

  await Promise.all(rails.map((rail) => rail.start()));
  const offers = await keepOffers(config, timings, desk.rails, (built) => {
    desk.offers = built;
  });
  await takeUpUnfinished(desk);
  await watchPaid(desk);
  const lookingAround = lookAround(desk);
  const gas = watchGas(rails, { intervalMs: timings.gasWatchMs, logger });

  return {
    challenge: (paid, path) => offerOf(desk, paid).challengeAt(path),
    admit: (attempt) => admit(desk, attempt),
    gas: () => gas.states(),
    gasLeft: () => gas.left(),
    queues: () => Object.fromEntries(rails.flatMap(({ network, queue }) => (queue ? [[network, queue()]] : []))),
    async close() {
      offers.stop();
      gas.stop();
      await lookingAround.close();
      const settlings = [...desk.flights.values()].map(({ settling }) => settling);
      await waitFor(Promise.all(settlings), timings.closeGraceMs);
      for (const rail of rails) rail.close();
      await Promise.all(settlings);
    },
  };
}
