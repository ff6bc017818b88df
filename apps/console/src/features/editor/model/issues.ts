import { type Definition, type SavedVersion, type ValidationIssue, WARNINGS } from '@deckhand/contracts';
import { ApiError } from '../../../api/api-error.ts';
import { i18n } from '../../../language/i18n.ts';
import { servedText } from '../../../language/served-text.ts';

/**
 * Returns true if a save was refused because of the definition: it has issues, or another version was saved meanwhile.
 */
export function isAboutDefinition(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.code === 'CONFLICT' || error.issues.some(({ path }) => path.startsWith('definition'));
}

/** An issue of a save, in words. */
export interface DescribedIssue {
  /** The node that it is in; undefined for connections and settings. */
  readonly nodeId: string | undefined;
  /** The parameter that it is in; undefined for other parts of the node. */
  readonly parameter: string | undefined;
  /** What it is in: the node's name, a connection or the settings. */
  readonly place: string;
  readonly text: string;
}

/** Describes the issues of a save by the names on the canvas. */
export function describeIssues(definition: Definition, issues: readonly ValidationIssue[]): DescribedIssue[] {
  const titleOf = (id: string): string => definition.nodes.find((node) => node.id === id)?.name ?? id;
  return issues.map(({ path, message }): DescribedIssue => {
    const [, list, index, rest = ''] = /^definition\.(nodes|edges)\[(\d+)\]\.?(.*)$/.exec(path) ?? [];
    const node = list === 'nodes' ? definition.nodes[Number(index)] : undefined;
    if (node) {
      const label = rest.replace(/^parameters\./, '');
      const parameter = /^parameters\.([^.[]+)/.exec(rest)?.[1];
      return { nodeId: node.id, parameter, place: titleOf(node.id), text: `${label} ${message}`.trim() };
    }
    const edge = list === 'edges' ? definition.edges[Number(index)] : undefined;
    if (edge) {
      const place = `${titleOf(edge.source)} → ${titleOf(edge.target)}`;
      return { nodeId: undefined, parameter: undefined, place, text: `${rest} ${message}`.trim() };
    }
    const setting = path.replace(/^definition\.?(settings\.?)?/, '');
    const isSetting = path.startsWith('definition.settings');
    const place = isSetting
      ? i18n.t('Settings')
      : path.startsWith('definition.notes')
        ? i18n.t('Notes')
        : i18n.t('Workflow');
    return { nodeId: undefined, parameter: undefined, place, text: `${setting} ${message}`.trim() };
  });
}

/** A warning about a saved definition, in words. */
export interface DescribedWarning {
  /** The node that it is about; undefined for the workflow as a whole. */
  readonly nodeId: string | undefined;
  /** The name of the node, or of the workflow. */
  readonly place: string;
  readonly title: string;
  /** What is wrong at this place, as the service says it, in English. */
  readonly message: string;
  /** What to do about it. */
  readonly remedy: string;
  /** The address of the page that explains it. */
  readonly page: string;
}

/** Describes warnings by the names on the canvas. */
export function describeWarnings(
  definition: Definition,
  warnings: SavedVersion['warnings'],
): readonly DescribedWarning[] {
  const names = new Map(definition.nodes.map(({ id, name }) => [id, name ?? id]));
  return warnings.map(({ code, nodeId, message, remedy, page }) => ({
    nodeId,
    place: (nodeId === undefined ? undefined : names.get(nodeId)) ?? i18n.t('Workflow'),
    title: servedText(WARNINGS[code].title),
    message,
    remedy: servedText(remedy),
    page,
  }));
}

/** Joins the issues of each node to a text. */
export function issuesByNode(issues: readonly DescribedIssue[]): ReadonlyMap<string, string> {
  const byNode = new Map<string, string>();
  for (const { nodeId, text } of issues) {
    if (nodeId === undefined) continue;
    const before = byNode.get(nodeId);
    byNode.set(nodeId, before === undefined ? text : `${before}; ${text}`);
  }
  return byNode;
}
