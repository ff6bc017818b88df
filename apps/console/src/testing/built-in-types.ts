import { type NodeTypeEntry, parseOwnJson } from '@deckhand/contracts';
import { loadNodeTypes } from '@deckhand/nodes';
import { describeNodeTypes } from '../../../api/src/workflows/describe-node-types.ts';
import { nodeTypesOf } from './node-type.ts';

const served = JSON.stringify(describeNodeTypes(await loadNodeTypes()));

/** The built-in node types by name, as the API describes them. */
export const BUILT_IN_TYPES = nodeTypesOf(...parseOwnJson<NodeTypeEntry[]>(served));
