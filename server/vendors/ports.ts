/** The words of the engine that vendors speak, one step nearer to the folders below. */
export {
  type CreatorSource,
  type FetchOptions,
  type FirstTransfer,
  type FirstTransferSource,
  type HolderCandidates,
  type HolderMoveSource,
  type HolderSource,
  type MarketSource,
  type PoolEvents,
  type PoolIndex,
  type RpcCall,
  type RpcEndpoint,
  type RpcReply,
  RpcTransportError,
  type VendorFault,
  VendorUnavailableError,
} from '../../engine/index.ts';
