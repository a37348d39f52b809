import { uniswapV3Mid } from '../uniswapV3/mid.ts';

/** The same square-root price as in v3. Of a hooked pool the band is what the hook leaves. */
export const uniswapV4Mid = uniswapV3Mid;
