/** Every flag of a quote; `Flag.code` is one of these. /guides/quote prints this table. */
export const flagTable = {
  NATIVE_AS_WRAPPED: {
    severity: 'info',
    when: 'tokenIn or tokenOut is the native coin, quoted as its wrapped token. Facts: which side, and the wrapped token.',
  },
  NO_ROUTE: {
    severity: 'warn',
    when: 'No covered venue fills this size, or there was no amount to quote: the message states which. amountOut is "0". Facts: venues read; notCovered, known venues that may trade the token; notCoveredUnread; poolsMayBeMissing, whether only logs show further pools; poolsListedBy.',
  },
  HIGH_IMPACT: {
    severity: 'warn, critical',
    when: 'The fill is more than 3 % (critical: 10 %) worse than the mid, fee included.',
  },
  THIN_DEPTH: {
    severity: 'warn',
    when: 'Selling twice this size lowers the price by more than 1 %, or the market was not measured that far: the message states which.',
  },
  SINGLE_POOL: {
    severity: 'info',
    when: 'Only one route fills this size. No other route returns at least half as much, so nothing confirms the price.',
  },
  SPLIT_ROUTE: {
    severity: 'info',
    when: 'The route splits the order over several pools. Facts: the gain in basis points, and the best single route with its amountOut and legs.',
  },
  TRANSFER_TAX: {
    severity: 'warn',
    when: 'A token of the route deducts a tax from a transfer, or its tax could not be measured (taxBps is then null). amountOut is what arrives. A loss of one base unit by rounding is no tax.',
  },
  ROUTE_GAS: {
    severity: 'info',
    when: "Gas of the swaps in the simulated execution; a lower bound if the message contains “at least”. Facts: gas; gasUsd at the block's base fee; valueInUsd, valueOutUsd (null without a price); executor, if the deployed executor executed the plan.",
  },
  FEE_CHANGES: {
    severity: 'info, warn',
    when: 'The fee of a pool of the route depends on the block. Facts: amountOut; nextAmountOut, the output in the next block, null if the node cannot execute there (info); changeBps.',
  },
  HOOKED_POOL: {
    severity: 'warn',
    when: 'A pool of the route has a hook, which may change price and fee from swap to swap.',
  },
  ROUTER_DEPENDENT: {
    severity: 'warn',
    when: 'Every plan reverts in the deployed executor and fills through a contract at another address: a token of the route refuses the executor. A published router may execute the quote.',
  },
  CUSTOM_POOL: {
    severity: 'warn',
    when: 'A pool of the route belongs to a custom deployer of Algebra Integral. Routers find it only with the address of that deployer. Facts: the pool.',
  },
  V4_POOL_KEY: { severity: 'info', when: 'The pool key that a uniswap-v4 leg needs to be executed.' },
  VENUE_UNREAD: {
    severity: 'warn',
    when: 'Not all pools of the named venues could be read; one of these may have a better price.',
  },
  POOL_REJECTED: {
    severity: 'info',
    when: 'Pools refused this swap when it was simulated, or a token reverted the transfer to or from them. Facts: the pools and their reasons.',
  },
  NOT_COVERED: {
    severity: 'warn',
    when: 'Pools or venues that cannot be quoted hold at least 1 % of what the plan’s pools hold, or could not be read. Facts: the five largest, with holds in base units; count; unread. Routing assets are not read.',
  },
  OLD_BLOCK: {
    severity: 'critical',
    when: 'The latest available block is over ten minutes old: the chain or its nodes have stopped.',
  },
  QUOTERS_ONLY: {
    severity: 'warn',
    when: 'The node supports published quoters only: direct routes over Uniswap v3 and v2 pairs, no measured tax, no split route.',
  },
  NO_MID: {
    severity: 'warn',
    when: 'No pool that filled this swap has liquidity around its price, so there is no mid to compare with.',
  },
  SIZE_TRUNCATED: { severity: 'info', when: 'The size has more decimals than tokenIn; it was rounded down.' },
  SIZE_TOO_LARGE: { severity: 'warn', when: 'The size is above the largest amount of a pool (2^256 base units).' },
  USD_PRICE_SOURCE: {
    severity: 'info, critical',
    when: 'How sizeUSD was converted to tokenIn: 1:1 for a stable, by a Chainlink feed, or by a pool. Critical without any.',
  },
  STALE_ORACLE: {
    severity: 'warn',
    when: "tokenIn's Chainlink feed was not used. The message gives the reason: its age, its answer, or the sequencer.",
  },
  USD_PRICE_DISPUTED: {
    severity: 'warn',
    when: 'The deepest pool of tokenIn contradicts the price that converted sizeUSD: a feed by over 3 %, a stable by over 1 %. Or the feed’s time is in the future. Facts: both prices, and their difference in basis points.',
  },
  CONFIDENCE: {
    severity: 'info',
    when: 'The confidence is below high. Facts: the rule of the confidence table that applied.',
  },
  NOT_A_TOKEN: {
    severity: 'critical',
    when: 'An address has no code, or does not answer decimals(). Its decimals and amountIn are 0 because neither is known.',
  },
} as const;

export type FlagCode = keyof typeof flagTable;
