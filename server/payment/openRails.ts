import type { CashierTimings, PaymentLogger, PaymentNetwork } from './cashierConfig.ts';
import { authorizationForm } from './evm/authorizationForm.ts';
import { createEvmFacilitator } from './evm/evmFacilitator.ts';
import { closedRail, openRail, type Rail } from './rail.ts';

/** A rail for each configured network, by network. */
export function openRails(
  networks: readonly PaymentNetwork[],
  timings: CashierTimings,
  logger: PaymentLogger,
): ReadonlyMap<string, Rail> {
  return new Map(
    networks.map((network) => [
      network.network,
      openRail(authorizationForm, createEvmFacilitator(network, timings, logger)),
    ]),
  );
}

/** The rail of a network that is not configured; undefined when its payments are of no form we know. */
export function findClosedRail(network: string): Rail | undefined {
  return network.startsWith('eip155:') ? closedRail(network, authorizationForm) : undefined;
}
