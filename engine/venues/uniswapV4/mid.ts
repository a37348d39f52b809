import { uniswapV3Mid } from '../uniswapV3/mid.ts';

/** The same square-root price as in v3. For a pool with a hook, the measured band includes the hook's effect. */
export const uniswapV4Mid = uniswapV3Mid;
