import { waitFor } from '../time/waitFor.ts';
import { decidePayment } from './decidePayment.ts';
import { createGasAllowance } from './gasAllowance.ts';
import { instrumentNetworks } from './instrumentNetworks.ts';
import { PaymentNetworkMismatchError } from './networkMismatch.ts';
import { noNetworkError, openNetworkOffers } from './networkOffers.ts';
import { openWalletReads } from './networks/svm/walletReads.ts';
import { openPaymentNetworks } from './openPaymentNetworks.ts';
import { createPaidWallets } from './paidWallets.ts';
import {
  defaultContractWalletGasUsdPerHour,
  defaultTimings,
  isSvm,
  type PaymentConfig,
  type PaymentTimings,
} from './paymentConfig.ts';
import type { PaymentContext } from './paymentContext.ts';
import type { PaymentNetwork } from './paymentNetwork.ts';
import type { PaymentService } from './paymentTypes.ts';
import { createPreparations } from './preparations.ts';
import { readSigner } from './readSigner.ts';
import { reconcileLoop } from './reconcileLoop.ts';
import { recoverUnfinished } from './recoverUnfinished.ts';
import { createWalletTurns } from './walletTurns.ts';
import { watchPaid } from './watchPaid.ts';

/**
 * Creates the payment service, which decides on PAYMENT-SIGNATURE headers and settles before the handler runs.
 *
 * Checks each network; one whose RPC is down is checked before its first payment. Recovers, in the background, payments
 * that an earlier process left unfinished. The caller owns the ledger and closes it after the payment service.
 *
 * @throws {PaymentNetworkMismatchError} an RPC serves another chain, or the asset is another token.
 * @example
 * const { ledger } = await openStores({ file: 'data/truefill.sqlite' }, Date.now);
 * const paymentService = await createPaymentService({ networks, offers, ledger, now: Date.now, logger });
 * const attempt = { paid: 'quote', route: 'POST /v1/quote', canonicalInput, queryKey, paymentHeader };
 * const decision = await paymentService.decide(attempt);
 */
export async function createPaymentService(config: PaymentConfig): Promise<PaymentService> {
  const { networks, ledger, logger, now } = config;
  const timings: PaymentTimings = { ...defaultTimings, ...config.timings };
  const usdPerHour = config.contractWalletGasUsdPerHour ?? defaultContractWalletGasUsdPerHour;
  const onEvent = config.onEvent ?? (() => undefined);
  const dependencies = {
    ledger,
    onEvent,
    preconfirmedNetworks: config.preconfirmedNetworks ?? [],
    contractWalletGas: createGasAllowance(ledger, usdPerHour, logger),
  };
  const opened = await openPaymentNetworks(networks, timings, logger, dependencies);
  const byNetwork = instrumentNetworks(opened, config.watch);
  const paymentNetworks = [...byNetwork.values()];
  await startAll(paymentNetworks);
  const offers = await openNetworkOffers(config, timings, byNetwork);
  const paidWallets = createPaidWallets(ledger, now, logger);
  const context: PaymentContext = {
    offers,
    paymentNetworks: byNetwork,
    settlements: new Map(),
    verifying: new Map(),
    releasing: new Map(),
    turns: createWalletTurns({ timeoutMs: timings.turnDeadlineMs, pollMs: timings.turnPollMs }),
    limitPayer: config.limitPayer ?? (() => undefined),
    paidWallets,
    preparations: createPreparations(paidWallets),
    onEvent,
    freeTrialsPerIp: config.freeTrialsPerIp,
    ledger,
    now,
    logger,
    timings,
  };
  await recoverUnfinished(context);
  await watchPaid(context);
  const reconciling = reconcileLoop(context);
  const solana = networks.find(isSvm);

  return {
    challenge(paid, path) {
      offers.called();
      const offer = offers.find(paid);
      if (!offer) throw noNetworkError();
      return offer.challengeAt(path);
    },
    accepts: (paid) => offers.find(paid)?.accepts ?? [],
    decide(attempt) {
      offers.called();
      return decidePayment(context, attempt);
    },
    readSigner: (header) => readSigner(context, header),
    settlement: () => offers.states(),
    gasLeft: () => offers.gas(),
    queues: () =>
      Object.fromEntries(paymentNetworks.flatMap(({ network, queue }) => (queue ? [[network, queue()]] : []))),
    walletReads: solana && openWalletReads(solana, timings.rpcTimeoutMs),
    async close() {
      offers.stop();
      await reconciling.close();
      context.turns.close();
      const results = [...context.settlements.values()].map(({ result }) => result);
      await waitFor(Promise.all(results), timings.closeGraceMs);
      for (const paymentNetwork of paymentNetworks) paymentNetwork.close();
      await Promise.all(results);
    },
  };
}

/**
 * Starts all networks. Reports the mismatches of all networks in one error, so that an operator can fix them together.
 * @throws {PaymentNetworkMismatchError} @throws the first other error
 */
async function startAll(paymentNetworks: readonly PaymentNetwork[]): Promise<void> {
  const started = await Promise.allSettled(paymentNetworks.map((paymentNetwork) => paymentNetwork.start()));
  const errors = started.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  const mismatches = errors.filter((error) => error instanceof PaymentNetworkMismatchError);
  for (const error of errors) if (!mismatches.includes(error)) throw error;
  if (mismatches.length > 0) throw new PaymentNetworkMismatchError(mismatches.map(({ message }) => message).join('\n'));
}
