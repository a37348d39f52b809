import type { Address } from 'viem';
import type { ChainName } from '../../chain/chains.ts';

/** One address on every chain. DefiLlama/DefiLlama-Adapters, Uniswap/sdks, VeloraDEX/paraswap-dex-lib */
export const multicall3: Address = '0xcA11bde05977b3631167028862bE2a173976CA11';

/**
 * Uniswap v3's QuoterV2. Uniswap/contracts, VeloraDEX/paraswap-dex-lib. Uniswap's own record names another factory for
 * Base's than the one that is in use, so a quoter counts only while its `factory()` is the one of our row.
 */
export const quoterV2: Record<ChainName, Address> = {
  base: '0x3d4e44Eb1374240CE5F1B871ab261CD16335B76a',
  polygon: '0x61fFE014bA17989E743c5F6cB21bF9697530B21e',
  arbitrum: '0x61fFE014bA17989E743c5F6cB21bF9697530B21e',
};
