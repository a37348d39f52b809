/** 64 and 75 are sysexits' EX_USAGE and EX_TEMPFAIL; 4: `verify` found a difference. */
export const exitCodes = {
  answered: 0,
  failed: 1,
  avoid: 2,
  nothingToTradeOn: 3,
  differs: 4,
  usage: 64,
  pending: 75,
} as const;
