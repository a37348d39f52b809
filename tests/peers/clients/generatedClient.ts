type Address = `0x${string}`;

interface QuoteBody {
  tokenIn: Address;
  tokenOut: Address;
  sizeIn: string;
}

/** What a program with a generated client exports. The types of the generated client must allow each line of it. */
export interface GeneratedClient {
  /** Calls without a payment, and returns the price of the typed 402. */
  price(body: QuoteBody): Promise<string>;
  /** Pays, and returns `amountOut` of the typed answer. */
  quote(body: QuoteBody): Promise<string>;
  /** Pays, and returns members of the typed answer. */
  check(body: { token: Address; sizeUSD: string }): Promise<{ verdict: string; sources: object }>;
}
