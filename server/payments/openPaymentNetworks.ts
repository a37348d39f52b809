import { authorizationForm } from './networks/evm/authorizationForm.ts';
import { createEvmFacilitator, type SettlementDependencies } from './networks/evm/evmFacilitator.ts';
import { createEvmVerifier } from './networks/evm/evmVerifier.ts';
import { readTokenObstacle } from './networks/evm/readSettlementState.ts';
import { createRecheck, recordLoss } from './networks/evm/recheckPaid.ts';
import { readPayeeObstacle } from './networks/svm/readSvmState.ts';
import { createSvmFacilitator } from './networks/svm/svmFacilitator.ts';
import { svmForm } from './networks/svm/svmTransaction.ts';
import { createSvmVerifier } from './networks/svm/svmVerifier.ts';
import {
  type EvmNetworkConfig,
  isSvm,
  type PaymentLogger,
  type PaymentNetworkConfig,
  type PaymentTimings,
  type SvmNetworkConfig,
} from './paymentConfig.ts';
import { closedNetwork, openPaymentNetwork, type PaymentNetwork } from './paymentNetwork.ts';

/** Loaded only for networks with a remote facilitator. */
const importRemote = () => import('./networks/remote/remoteFacilitator.ts');

async function openEvmNetwork(
  network: EvmNetworkConfig,
  timings: PaymentTimings,
  logger: PaymentLogger,
  dependencies: SettlementDependencies,
): Promise<PaymentNetwork> {
  if (!network.remote)
    return openPaymentNetwork(authorizationForm, createEvmFacilitator(network, timings, logger, dependencies));
  const verifier = createEvmVerifier(network, timings);
  const family = {
    verifier,
    payerOf: authorizationForm.payerOf,
    sameWallet: (left: string, right: string) => left.toLowerCase() === right.toLowerCase(),
    transactionPattern: /^0x[0-9a-fA-F]{64}$/,
    needsFeePayer: false,
    readTokenObstacle: () => readTokenObstacle(verifier.chain, network),
    openRecheck: (signal: AbortSignal) =>
      createRecheck({
        network: network.network,
        call: verifier.chain.call,
        everyMs: timings.recheckMs,
        logger,
        signal,
        onLost: recordLoss(network.network, { ...dependencies, logger }),
      }),
  };
  const { createRemoteFacilitator } = await importRemote();
  return openPaymentNetwork(authorizationForm, createRemoteFacilitator(network, family, timings, logger));
}

async function openSvmNetwork(
  network: SvmNetworkConfig,
  timings: PaymentTimings,
  logger: PaymentLogger,
): Promise<PaymentNetwork> {
  if (!network.remote) return openPaymentNetwork(svmForm, createSvmFacilitator(network, timings, logger));
  const verifier = createSvmVerifier(network, timings);
  const family = {
    verifier,
    payerOf: svmForm.payerOf,
    sameWallet: (left: string, right: string) => left === right,
    // Base58 of 64 bytes.
    transactionPattern: /^[1-9A-HJ-NP-Za-km-z]{64,88}$/,
    needsFeePayer: true,
    readTokenObstacle: () => readPayeeObstacle(verifier),
  };
  const { createRemoteFacilitator } = await importRemote();
  return openPaymentNetwork(svmForm, createRemoteFacilitator(network, family, timings, logger));
}

/** Opens a payment network for each configured network, by CAIP-2 id. */
export async function openPaymentNetworks(
  networks: readonly PaymentNetworkConfig[],
  timings: PaymentTimings,
  logger: PaymentLogger,
  dependencies: SettlementDependencies,
): Promise<ReadonlyMap<string, PaymentNetwork>> {
  const opened = networks.map(
    async (network): Promise<[string, PaymentNetwork]> => [
      network.network,
      isSvm(network)
        ? await openSvmNetwork(network, timings, logger)
        : await openEvmNetwork(network, timings, logger, dependencies),
    ],
  );
  return new Map(await Promise.all(opened));
}

/** The payment network of a network that is not configured; undefined if its payment format is not supported. */
export function findClosedNetwork(network: string): PaymentNetwork | undefined {
  if (network.startsWith('eip155:')) return closedNetwork(network, authorizationForm);
  if (network.startsWith('solana:')) return closedNetwork(network, svmForm);
  return undefined;
}
