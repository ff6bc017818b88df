import { object, show } from '../workflow.ts';
import type { Conversion } from './converter.ts';

/** Notes the credential that a node needs. Exports have the names of credentials, and never their secrets. */
export function noteCredential({ node, review }: Pick<Conversion, 'node' | 'review'>, type: string): void {
  const names = Object.values(object(node.original.credentials)).map((each) => show(object(each).name));
  const inN8n = names.length === 0 ? 'in n8n it has none' : `in n8n it is "${names.join(', ')}"`;
  review(`choose a credential of the type ${type}: ${inN8n}`);
}
