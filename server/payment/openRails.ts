import { type CashierTimings, isSvm, type PaymentLogger, type PaymentNetwork } from './cashierConfig.ts';
import { authorizationForm } from './evm/authorizationForm.ts';
import { createEvmFacilitator } from './evm/evmFacilitator.ts';
import { closedRail, openRail, type Rail } from './rail.ts';
import { createSvmFacilitator } from './svm/svmFacilitator.ts';
import { svmForm } from './svm/svmTransaction.ts';

/** A rail for each configured network, by network. */
export function openRails(
  networks: readonly PaymentNetwork[],
  timings: CashierTimings,
  logger: PaymentLogger,
): ReadonlyMap<string, Rail> {
  return new Map(
    networks.map((network) => [
      network.network,
      isSvm(network)
        ? openRail(svmForm, createSvmFacilitator(network, timings, logger))
        : openRail(authorizationForm, createEvmFacilitator(network, timings, logger)),
    ]),
  );
}

/** The rail of a network that is not configured; undefined when its payments are of no form we know. */
export function findClosedRail(network: string): Rail | undefined {
  if (network.startsWith('eip155:')) return closedRail(network, authorizationForm);
  if (network.startsWith('solana:')) return closedRail(network, svmForm);
  return undefined;
}
