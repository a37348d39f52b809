/** The terms of a free procedure, stated in its definition. Documents and surfaces are derived from them. */
export interface FreeTerms {
  /** A valid example body, shown in errors and docs. */
  exampleRequest: unknown;
  /** The answer to the example. */
  exampleAnswer: Record<string, unknown>;
}
