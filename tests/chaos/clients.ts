import { adversarialClients } from './adversarialClients.ts';
import type { ChaosEnvironment } from './chaosEnvironment.ts';
import type { ClientScenario, TypedCalls } from './clientScenario.ts';
import { directTransferClients } from './directTransferClients.ts';
import { honestClients } from './honestClients.ts';
import { identifierClients } from './identifierClients.ts';
import { planRequests } from './requests.ts';
import { surfaceClients } from './surfaceClients.ts';
import type { ClientWallet, WalletPool } from './wallets.ts';

/** All client scenarios, honest and adversarial. */
export function clientScenarios(
  environment: ChaosEnvironment,
  wallets: WalletPool,
  reusedWallets: readonly ClientWallet[],
  fresh: ClientWallet[],
) {
  const requests = planRequests(environment, wallets, reusedWallets, fresh);
  const typedClient: TypedCalls = { answered: 0, pending: 0, refused: 0, spentUsd: 0 };
  const kinds: Record<string, ClientScenario> = {
    ...honestClients(environment, wallets, requests, typedClient),
    ...surfaceClients(environment, wallets, requests),
    ...identifierClients(environment, wallets, requests),
    ...directTransferClients(environment, wallets, requests),
    ...adversarialClients(environment, wallets, requests),
  };
  return { kinds, typedClient };
}
