import { isChainError } from './chainCall.ts';
import type { PaymentLogger } from './paymentConfig.ts';
import type { PaymentNetwork } from './paymentNetwork.ts';
import type { GasLeft, GasState } from './paymentTypes.ts';

const lowSettlements = 200n;

function toState(settlements: bigint): GasState {
  if (settlements < 1n) return 'empty';
  return settlements < lowSettlements ? 'low' : 'ok';
}

/** Reads, at start and then at intervals, how many settlements each account can pay for. Logs each change of state. */
export function watchGas(
  paymentNetworks: readonly PaymentNetwork[],
  { intervalMs, logger }: { intervalMs: number; logger: PaymentLogger },
): { states(): Record<string, GasState>; left(): Record<string, GasLeft>; stop(): void } {
  const known = new Map<string, GasLeft>(
    paymentNetworks.map(({ network }) => [network, { state: 'unread', settlements: undefined }]),
  );

  async function update(paymentNetwork: PaymentNetwork): Promise<void> {
    const { network } = paymentNetwork;
    const before = known.get(network)?.state;
    let state: GasState;
    let settlements: bigint | undefined;
    try {
      settlements = await paymentNetwork.readAffordableSettlements();
      state = settlements === undefined ? 'elsewhere' : toState(settlements);
    } catch (error) {
      if (!isChainError(error)) throw error;
      state = 'unread';
    }
    known.set(network, { state, settlements });
    if (state === before) return;
    if (state === 'low') logger.warn({ network }, 'Gas for fewer than 200 settlements is left: fund the facilitator');
    if (state === 'empty')
      logger.error({ network }, 'No gas is left: payments are refused until the facilitator is funded');
  }

  function updateAll(): void {
    for (const paymentNetwork of paymentNetworks) {
      update(paymentNetwork).catch((err) =>
        logger.error({ network: paymentNetwork.network, err }, 'The gas watch failed'),
      );
    }
  }
  updateAll();
  const timer = setInterval(updateAll, intervalMs).unref();
  return {
    states: () => Object.fromEntries([...known].map(([network, { state }]) => [network, state])),
    left: () => Object.fromEntries(known),
    stop: () => clearInterval(timer),
  };
}
