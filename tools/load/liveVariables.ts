import type { Hex } from 'viem';

/** Environment of a live service on Base with one node, no vendor and high limits. */
export function liveVariables(place: {
  rpcUrl: string;
  payTo: Hex;
  facilitatorKey: Hex;
  dataDir: string;
  freshnessMs: number;
}): Record<string, string> {
  return {
    RPC_URL_BASE: place.rpcUrl,
    PAY_TO_EVM: place.payTo,
    FACILITATOR_KEY_EVM: place.facilitatorKey,
    DATA_DIR: place.dataDir,
    FRESHNESS_MS_BASE: String(place.freshnessMs),
    PORT: '0',
    HOST: '127.0.0.1',
    PUBLIC_URL: 'https://truefill.example',
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
