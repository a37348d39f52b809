import {
  type CashierTimings,
  type EvmPaymentNetwork,
  isSvm,
  type PaymentLogger,
  type PaymentNetwork,
  type SvmPaymentNetwork,
} from './cashierConfig.ts';
import { authorizationForm } from './networks/evm/authorizationForm.ts';
import { createEvmFacilitator, type SettlementMeans } from './networks/evm/evmFacilitator.ts';
import { createEvmWitness } from './networks/evm/evmWitness.ts';
import { createRecheck } from './networks/evm/recheckPaid.ts';
import { createRemoteFacilitator } from './networks/remote/remoteFacilitator.ts';
import { createSvmFacilitator } from './networks/svm/svmFacilitator.ts';
import { svmForm } from './networks/svm/svmTransaction.ts';
import { createSvmWitness } from './networks/svm/svmWitness.ts';
import { closedRail, openRail, type Rail } from './rail.ts';

function openEvmRail(
  network: EvmPaymentNetwork,
  timings: CashierTimings,
  logger: PaymentLogger,
  means: SettlementMeans,
): Rail {
  if (!network.remote) return openRail(authorizationForm, createEvmFacilitator(network, timings, logger, means));
  const witness = createEvmWitness(network, timings);
  const family = {
    witness,
    payerOf: authorizationForm.payerOf,
    sameWallet: (left: string, right: string) => left.toLowerCase() === right.toLowerCase(),
    transactionPattern: /^0x[0-9a-fA-F]{64}$/,
    needsFeePayer: false,
    openRecheck: (signal: AbortSignal) =>
      createRecheck({
        network: network.network,
        call: witness.chain.call,
        everyMs: timings.recheckMs,
        logger,
        signal,
      }),
  };
  return openRail(authorizationForm, createRemoteFacilitator(network, family, timings, logger));
}

function openSvmRail(network: SvmPaymentNetwork, timings: CashierTimings, logger: PaymentLogger): Rail {
  if (!network.remote) return openRail(svmForm, createSvmFacilitator(network, timings, logger));
  const family = {
    witness: createSvmWitness(network, timings),
    payerOf: svmForm.payerOf,
    sameWallet: (left: string, right: string) => left === right,
    // Base58 of 64 bytes.
    transactionPattern: /^[1-9A-HJ-NP-Za-km-z]{64,88}$/,
    needsFeePayer: true,
  };
  return openRail(svmForm, createRemoteFacilitator(network, family, timings, logger));
}

/** A rail for each configured network, by network. */
export function openRails(
  networks: readonly PaymentNetwork[],
  timings: CashierTimings,
  logger: PaymentLogger,
  means: SettlementMeans,
): ReadonlyMap<string, Rail> {
  return new Map(
    networks.map((network) => [
      network.network,
      isSvm(network) ? openSvmRail(network, timings, logger) : openEvmRail(network, timings, logger, means),
    ]),
  );
}

/** The rail of a network that is not configured; undefined when its payments are of no form we know. */
export function findClosedRail(network: string): Rail | undefined {
  if (network.startsWith('eip155:')) return closedRail(network, authorizationForm);
  if (network.startsWith('solana:')) return closedRail(network, svmForm);
  return undefined;
}
