import type { LowerAddress } from '../lowerAddress.ts';

/** The same address on every chain. Sources: DefiLlama/DefiLlama-Adapters, Uniswap/sdks, VeloraDEX/paraswap-dex-lib. */
export const multicall3: LowerAddress = '0xca11bde05977b3631167028862be2a173976ca11';
