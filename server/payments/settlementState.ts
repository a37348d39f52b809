/** Why no new payment can settle on a network. The names are part of `GET /health` and of a metric. */
export const settlementObstacles = [
  /** Our account cannot pay the gas of one settlement. */
  'no_gas',
  /** Gas costs at least the price of a call. */
  'gas_price',
  /** The price feed of the native coin or the fee for L1 data cannot be read. */
  'gas_cost_unknown',
  /** The token blocks the receiving account, or that account does not exist. */
  'payee_blocked',
  'token_paused',
  'node_unreachable',
  /** A remote facilitator has returned no fee payer. */
  'facilitator_unavailable',
] as const;

export type SettlementObstacle = (typeof settlementObstacles)[number];

/** The obstacles that no payer causes and that appear only when a payment is executed. */
export const tokenObstacles: readonly SettlementObstacle[] = ['payee_blocked', 'token_paused'];

/** Whether a new payment can settle on a network now, as its node shows it. */
export interface SettlementState {
  obstacle: SettlementObstacle | undefined;
  /** How many settlements our account can pay gas for; undefined if a remote facilitator pays. */
  settlements: bigint | undefined;
  /** Cost of the gas of one settlement in millionths of a US dollar: calls at this price or below cannot settle. */
  gasCost: bigint | undefined;
}

/** The sentence of a refusal that names the obstacle. */
export const obstacleCauses: Record<SettlementObstacle, string> = {
  no_gas: 'The facilitator has no gas.',
  gas_price: 'Settlement gas costs more than the call.',
  gas_cost_unknown: 'The cost of gas is unknown.',
  payee_blocked: 'The token does not accept transfers to the receiving account.',
  token_paused: 'The token is paused.',
  node_unreachable: 'Its nodes do not respond.',
  facilitator_unavailable: 'Its facilitator does not respond.',
};
