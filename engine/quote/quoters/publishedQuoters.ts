import type { Address } from 'viem';

/** One address on every chain. DefiLlama/DefiLlama-Adapters, Uniswap/sdks, VeloraDEX/paraswap-dex-lib */
export const multicall3: Address = '0xcA11bde05977b3631167028862bE2a173976CA11';
