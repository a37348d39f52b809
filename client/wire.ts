import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { AppRouter, HealthBody, ErrorCode as PublishedErrorCode } from '../router/index.ts';

// Request and response types, inferred from the service's router. The published package contains them in full, because it
// excludes the router.

type Inputs = inferRouterInputs<AppRouter>;
type Outputs = inferRouterOutputs<AppRouter>;

export type QuoteRequest = Inputs['quote'];
export type Quote = Outputs['quote'];
export type PretradeRequest = Inputs['pretradeCheck'];
export type PublishedCheck = Outputs['pretradeCheck'];
export type TransactionRequest = Inputs['buildTransaction'];
export type Transaction = Outputs['buildTransaction'];
export type Health = HealthBody;
export type ErrorCode = PublishedErrorCode;
