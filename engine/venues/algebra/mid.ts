import { uniswapV3Mid } from '../uniswapV3/mid.ts';

/** globalState's first word is the same square-root price as in v3. */
export const algebraMid = uniswapV3Mid;
