import type { Hex } from 'viem';

/** Environment variables of a live service on Base with one node, no vendors and high rate limits. */
export function liveVariables(settings: {
  rpcUrl: string;
  payTo: Hex;
  facilitatorKey: Hex;
  dataDir: string;
  freshnessMs: number;
}): Record<string, string> {
  return {
    RPC_URL_BASE: settings.rpcUrl,
    PAY_TO_EVM: settings.payTo,
    FACILITATOR_KEY_EVM: settings.facilitatorKey,
    DATA_DIR: settings.dataDir,
    FRESHNESS_MS_BASE: String(settings.freshnessMs),
    PORT: '0',
    HOST: '127.0.0.1',
    PUBLIC_URL: 'https://truefill.example',
    // All clients of a load test have one address.
    CONNECTIONS_PER_ADDRESS: '4000',
    RATE_LIMIT_PER_ADDRESS: '1000000',
    RATE_LIMIT_PER_WALLET: '1000000',
    FREE_TRIAL_GROUPS: 'none',
    LOG_LEVEL: 'error',
    BLOCKSCOUT_URL: 'off',
    DEXSCREENER_URL: 'off',
    GECKOTERMINAL_URL: 'off',
    LOG_INDEX: 'off',
  };
}
