import { join } from 'node:path';
import { type ChainName, deployments, type Engine, type PoolIndexState } from '../engine/index.ts';
import { catalogue } from '../router/index.ts';
import type { Config } from './config/index.ts';
import { describeNode } from './describeNode.ts';
import type { Environment } from './environment.ts';
import type { PaymentNetworkConfig, PaymentService } from './payments/index.ts';
import { openKeyAccount } from './payments/networks/evm/keyAccount.ts';
import { feePayerAddress } from './payments/networks/svm/feePayerKey.ts';
import { isSvm } from './payments/paymentConfig.ts';
import { describePoolIndex, type PoolIndexes } from './poolIndexes.ts';
import type { DatabaseOrigin } from './storage/index.ts';

/** The facts of a start, for a log line. Contains no secret: neither keys nor RPC URLs. */
export interface StartSummary {
  mode: Config['mode'];
  listens: string;
  publicUrl: string;
  storage: string;
  /** The state of each chain, and what its nodes lack. */
  chains: Record<string, string>;
  payments: Record<string, { state: string; payTo: string; settledBy: string }>;
  prices: Record<string, string>;
}

interface SummaryFacts {
  config: Config;
  environment: Pick<Environment, 'payments' | 'database'>;
  origin: DatabaseOrigin;
  /** The bound address, `0.0.0.0:4020`. */
  listens: string;
  baseUrl: string;
  engine: Pick<Engine, 'chains' | 'chainState' | 'nodeStates'>;
  poolIndexes: PoolIndexes['states'];
  paymentService: Pick<PaymentService, 'settlement' | 'gasLeft'>;
}

const originText: Record<DatabaseOrigin, string> = {
  existing: '',
  created: ' (a new ledger: it contains no earlier payment)',
  'empty file': ' (THE FILE WAS EMPTY: a new ledger was created; restore a backup if payments were made)',
};

/** The database without user, password and query. */
export function describeStorage(config: Config, origin: DatabaseOrigin): string {
  if (config.mode === 'live' && config.databaseUrl) {
    const { hostname, port, pathname } = new URL(config.databaseUrl);
    return `PostgreSQL ${hostname}:${port || '5432'}${pathname}${originText[origin]}`;
  }
  return `SQLite ${config.mode === 'live' ? join(config.dataDir, 'truefill.sqlite') : 'in a temporary folder'}${originText[origin]}`;
}

function settlerOf(network: PaymentNetworkConfig): string {
  // Some providers put a key into the host name.
  if (network.remote) return 'a remote facilitator';
  return isSvm(network) ? feePayerAddress(network.facilitatorKey) : openKeyAccount(network.facilitatorKey).address;
}

function describeChain(chain: ChainName, engine: SummaryFacts['engine'], index: PoolIndexState | undefined): string {
  const nodes = engine.nodeStates(chain);
  const { status } = engine.chainState(chain);
  const limits = nodes.flatMap((node) => {
    const described = describeNode(node);
    return described ? [`${chain}-${node.position} ${described}`] : [];
  });
  // No node answers, although the circuits are not open after a single failure.
  const isUnread = nodes.length > 0 && nodes.every(({ failure }) => failure !== undefined);
  return [isUnread ? 'down' : status, ...limits, (index && describePoolIndex(index)) ?? []].flat().join('; ');
}

/** Gathers the facts of a start. */
export function toStartSummary(facts: SummaryFacts): StartSummary {
  const { config, environment, origin, listens, baseUrl, engine, paymentService } = facts;
  const indexes = facts.poolIndexes();
  const settlement = paymentService.settlement();
  const gas = paymentService.gasLeft();
  const stateOf = (network: string): string => {
    const obstacle = settlement[network] ?? 'unread';
    const gasState = gas[network]?.state ?? 'unread';
    return `${obstacle === 'ok' ? 'offered' : `not offered (${obstacle})`}, gas ${gasState === 'elsewhere' ? 'paid by the facilitator' : gasState}`;
  };
  return {
    mode: config.mode,
    listens,
    publicUrl: baseUrl,
    storage: describeStorage(config, origin),
    chains: Object.fromEntries(engine.chains.map((chain) => [chain, describeChain(chain, engine, indexes[chain])])),
    payments: Object.fromEntries(
      environment.payments.map((network) => [
        network.network,
        { state: stateOf(network.network), payTo: network.payTo, settledBy: settlerOf(network) },
      ]),
    ),
    prices: Object.fromEntries(
      catalogue.map(({ name, priceUsd, trialGroup }) => [
        name,
        `${priceUsd} USD${config.freeTrialGroups.includes(trialGroup) ? ', first call of a wallet free' : ''}`,
      ]),
    ),
  };
}

const networkNames: Record<string, string> = Object.fromEntries(
  Object.values(deployments).map(({ chainId, label }) => [`eip155:${chainId}`, label]),
);
const nameOf = (network: string): string =>
  networkNames[network] ?? (network.startsWith('solana:') ? 'Solana' : network);

/** The block that a start prints, two spaces before each line. */
export function describeStart({ publicUrl, storage, chains, payments, prices }: StartSummary): string {
  const lines = [
    ['Public URL', publicUrl],
    ['Storage', storage],
    [
      'Chains',
      Object.entries(chains)
        .map(([chain, state]) => `${chain} ${state}`)
        .join(', '),
    ],
    ...Object.entries(payments).map(([network, { state, payTo, settledBy }]) => [
      `Payments on ${nameOf(network)}`,
      `${state}; paid to ${payTo}; settled by ${settledBy}`,
    ]),
    ...Object.entries(prices).map(([name, price]) => [`Price of ${name}`, price]),
  ];
  return lines.map(([name, text]) => `  ${name}: ${text}\n`).join('');
}
