import { isChainError } from './chainCall.ts';
import type { PaymentLogger, PaymentTimings } from './paymentConfig.ts';
import type { PaymentNetwork } from './paymentNetwork.ts';
import type { GasLeft, GasState } from './paymentTypes.ts';
import type { SettlementObstacle, SettlementState } from './settlementState.ts';

const lowSettlements = 200n;
/** After the last call the networks are read at the short interval for this long. */
const activeMs = 60_000;
/** Pause before the second read after a failed one. Two failures in a row count as an obstacle. */
const retryMs = 500;

export interface NetworkStates {
  /** The obstacle that was read last, for a call at this price in millionths of a US dollar; undefined: none. */
  obstacleOf(network: string, price: bigint): SettlementObstacle | undefined;
  /** Reads a network again; a concurrent caller that came before the read began shares it. Never rejects because of a node. */
  check(network: string): Promise<void>;
  /** Like `check`, after a settlement failed: one more failed read is enough for an obstacle. */
  checkAfterFailure(network: string): Promise<void>;
  /** A call has arrived: the networks are read at the short interval from now on. */
  called(): void;
  gas(): Record<string, GasLeft>;
  stop(): void;
}

interface Known {
  network: PaymentNetwork;
  state: SettlementState | undefined;
  failures: number;
  checkedAt: number;
  running: Promise<void> | undefined;
  queued: Promise<void> | undefined;
  timer: NodeJS.Timeout | undefined;
}

const unread = (network: PaymentNetwork): Known => ({
  network,
  state: undefined,
  failures: 0,
  checkedAt: 0,
  running: undefined,
  queued: undefined,
  timer: undefined,
});

function gasOf({ network, state, failures }: Known): GasState {
  if (network.account === undefined) return 'elsewhere';
  if (!state || state.settlements === undefined || failures > 0) return 'unread';
  if (state.settlements < 1n) return 'empty';
  return state.settlements < lowSettlements ? 'low' : 'ok';
}

const obstacleIn = ({ state, failures }: Known): SettlementObstacle | undefined =>
  !state || failures > 1 ? 'node_unreachable' : state.obstacle;

/** Logs a change of a network's state. The address is public: the operator must fund it. */
function logChange(
  logger: PaymentLogger,
  { network: { network, account } }: Known,
  before: { obstacle: SettlementObstacle | undefined; gas: GasState | undefined },
  now: { obstacle: SettlementObstacle | undefined; gas: GasState },
): void {
  const facts = { network, ...(account !== undefined && { facilitator: account }) };
  if (now.gas === 'low' && before.gas !== 'low') {
    logger.warn(facts, `Gas for fewer than 200 settlements is left: fund ${account}`);
  }
  if (now.obstacle === before.obstacle) return;
  if (now.obstacle === 'no_gas') {
    logger.error(facts, `No gas is left: the network is not offered until ${account} is funded`);
  } else if (now.obstacle) {
    logger.error({ ...facts, obstacle: now.obstacle }, 'Payments cannot settle: the network is not offered');
  } else if (before.gas !== undefined) {
    logger.info(facts, 'Payments can settle again: the network is offered');
  }
}

/** Reads the state of a network once, and logs a change. */
async function read(known: Known, logger: PaymentLogger): Promise<void> {
  const before = { obstacle: obstacleIn(known), gas: known.state && gasOf(known) };
  known.checkedAt = Date.now();
  try {
    known.state = await known.network.readSettlementState();
    known.failures = 0;
  } catch (error) {
    if (!isChainError(error)) throw error;
    known.failures += 1;
  }
  logChange(logger, known, before, { obstacle: obstacleIn(known), gas: gasOf(known) });
}

/**
 * Keeps, in memory, whether each network can settle payments: read at start, every few seconds while calls arrive or
 * the network cannot settle, otherwise at the long interval, and after each failed settlement.
 *
 * @param changed called after a read that may have changed what can be offered
 */
export async function watchNetworks(
  paymentNetworks: readonly PaymentNetwork[],
  { timings, logger, changed }: { timings: PaymentTimings; logger: PaymentLogger; changed(): Promise<void> },
): Promise<NetworkStates> {
  const all = new Map(paymentNetworks.map((network) => [network.network, unread(network)]));
  let calledAt = 0;
  let isStopped = false;

  function start(known: Known): Promise<void> {
    const running = read(known, logger)
      .then(changed)
      .catch((err) => logger.error({ network: known.network.network, err }, 'The state of a network could not be read'))
      .finally(() => {
        known.running = undefined;
        schedule(known);
      });
    known.running = running;
    return running;
  }

  /** A running read may have begun before the caller's event and miss it, so the caller waits for the next one. */
  function check(known: Known): Promise<void> {
    if (!known.running) return start(known);
    known.queued ??= known.running.then(() => {
      known.queued = undefined;
      return check(known);
    });
    return known.queued;
  }

  function schedule(known: Known): void {
    clearTimeout(known.timer);
    if (isStopped) return;
    const isBusy = obstacleIn(known) !== undefined || Date.now() - calledAt < activeMs;
    const pause = known.failures === 1 ? retryMs : isBusy ? timings.offerCheckMs : timings.gasWatchMs;
    known.timer = setTimeout(() => check(known), pause).unref();
  }

  const find = (network: string): Known => {
    const known = all.get(network);
    if (!known) throw new TypeError(`${network} is not a configured payment network.`);
    return known;
  };

  await Promise.all([...all.values()].map(start));
  return {
    obstacleOf(network, price) {
      const known = find(network);
      const { gasCost } = known.state ?? {};
      return obstacleIn(known) ?? (gasCost !== undefined && gasCost >= price ? 'gas_price' : undefined);
    },
    check: (network) => check(find(network)),
    checkAfterFailure(network) {
      const known = find(network);
      known.failures = Math.max(1, known.failures);
      return check(known);
    },
    called() {
      const now = Date.now();
      const wasIdle = now - calledAt >= activeMs;
      calledAt = now;
      if (!wasIdle) return;
      for (const known of all.values()) {
        if (now - known.checkedAt >= timings.offerCheckMs) void check(known);
        else schedule(known);
      }
    },
    gas: () =>
      Object.fromEntries(
        [...all].map(([network, known]) => [network, { state: gasOf(known), settlements: known.state?.settlements }]),
      ),
    stop() {
      isStopped = true;
      for (const { timer } of all.values()) clearTimeout(timer);
    },
  };
}
