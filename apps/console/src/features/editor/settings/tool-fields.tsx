import type { ToolSettings } from '@deckhand/contracts';
import { Checkbox, Stack, Textarea, TextInput } from '@mantine/core';
import { issueAt } from '../../../forms/issue-at.ts';
import { i18n } from '../../../language/i18n.ts';

type TextField = 'name' | 'title' | 'description';
type Hint = Exclude<keyof ToolSettings, TextField>;

const pathOf = (field: TextField): string => `definition.settings.mcp.${field}`;

/** The paths of the fields in issues of a save. */
export const TOOL_PATHS: readonly string[] = [pathOf('name'), pathOf('title'), pathOf('description')];

/** Hints for agents, with what they assume of a tool that says nothing. */
const HINTS: readonly { readonly hint: Hint; readonly label: string; readonly isAssumed: boolean }[] = [
  { hint: 'readOnlyHint', label: i18n.t('Changes nothing'), isAssumed: false },
  { hint: 'idempotentHint', label: i18n.t('A second call changes nothing more'), isAssumed: false },
  { hint: 'destructiveHint', label: i18n.t('May delete or overwrite something'), isAssumed: true },
  { hint: 'openWorldHint', label: i18n.t('Reaches systems outside'), isAssumed: true },
];

/** Makes the workflow a tool of the MCP server. */
export function ToolFields({
  tool,
  error,
  onChange,
}: {
  /** Undefined for a workflow that is not a tool. */
  tool: ToolSettings | undefined;
  /** The error of the last save. */
  error: unknown;
  onChange: (tool: ToolSettings | undefined) => void;
}) {
  const setText = (field: TextField, text: string): void => {
    const { [field]: _, ...others } = tool ?? {};
    onChange({ ...others, ...(text !== '' && { [field]: text }) });
  };
  const setHint = (hint: Hint, isTrue: boolean, isAssumed: boolean): void => {
    const { [hint]: _, ...others } = tool ?? {};
    onChange({ ...others, ...(isTrue !== isAssumed && { [hint]: isTrue }) });
  };
  return (
    <Stack gap="xs">
      <Checkbox
        label={i18n.t('Tool for AI agents')}
        description={i18n.t('While the workflow is active, agents start it over MCP')}
        checked={tool !== undefined}
        onChange={(event) => onChange(event.currentTarget.checked ? {} : undefined)}
      />
      {tool && (
        <>
          <TextInput
            label={i18n.t('Tool name')}
            placeholder={i18n.t('That of the workflow, in lower case with _')}
            value={tool.name ?? ''}
            error={issueAt(error, pathOf('name'))}
            onChange={(event) => setText('name', event.currentTarget.value)}
          />
          <TextInput
            label={i18n.t('Tool title')}
            placeholder={i18n.t('The name of the workflow')}
            maxLength={200}
            value={tool.title ?? ''}
            error={issueAt(error, pathOf('title'))}
            onChange={(event) => setText('title', event.currentTarget.value)}
          />
          <Textarea
            label={i18n.t('Tool description')}
            description={i18n.t('What it does and when to use it')}
            placeholder={i18n.t('The description of the workflow')}
            autosize
            maxLength={4_000}
            value={tool.description ?? ''}
            error={issueAt(error, pathOf('description'))}
            onChange={(event) => setText('description', event.currentTarget.value)}
          />
          {HINTS.map(({ hint, label, isAssumed }) => (
            <Checkbox
              key={hint}
              label={label}
              checked={tool[hint] ?? isAssumed}
              onChange={(event) => setHint(hint, event.currentTarget.checked, isAssumed)}
            />
          ))}
        </>
      )}
    </Stack>
  );
}
