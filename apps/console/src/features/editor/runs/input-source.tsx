import { ActionIcon, Button, Group, Popover, Select, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Bookmark, Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { newestRunsQuery, runQuery } from '../../../api/executions.ts';
import { useWorkspace } from '../../../api/use-workspace.ts';
import { notify, notifyProblem } from '../../../components/notice-board.ts';
import { STATUS_LOOKS } from '../../../components/status-badge.tsx';
import { dateLocale, i18n } from '../../../language/i18n.ts';
import { MAX_INPUT_LENGTH, MAX_INPUTS, useSavedInputs, withInput } from './saved-inputs.ts';

const SAVED = 'saved:';
/** Longest input that is shown for editing, in characters. */
const MAX_SHOWN = 500_000;

/** Fills in the input of a run from one that was saved or from an earlier run, and saves what is typed under a name. */
export function InputSource({
  workflowId,
  input,
  onFill,
}: {
  workflowId: string;
  /** What is typed now. */
  input: string;
  onFill: (input: string) => void;
}) {
  const { workspaceId } = useWorkspace();
  const [saved, setSaved] = useSavedInputs(workflowId);
  const [chosen, setChosen] = useState<string | null>(null);
  const runs = useQuery(newestRunsQuery(workspaceId, { workflowId })).data?.data ?? [];
  const queryClient = useQueryClient();
  const latest = useRef<string | null>(null);
  const inputOf = async (executionId: string): Promise<string> => {
    const { data } = await queryClient.query(runQuery(executionId));
    return JSON.stringify(data.trigger, undefined, 2);
  };
  const fill = async (source: string | null): Promise<void> => {
    setChosen(source);
    latest.current = source;
    if (source === null) return;
    const own = saved.find(({ name }) => `${SAVED}${name}` === source);
    const text = own?.input ?? (await inputOf(source));
    // Another may have been chosen meanwhile.
    if (latest.current !== source) return;
    if (text.length > MAX_SHOWN) notify(i18n.t('The input of this run is too long to be edited.'));
    else onFill(text);
  };
  const chosenInput = saved.find(({ name }) => `${SAVED}${name}` === chosen);
  const groups = [
    { group: i18n.t('Saved inputs'), items: saved.map(({ name }) => ({ value: `${SAVED}${name}`, label: name })) },
    {
      group: i18n.t('Recent runs'),
      items: runs.map(({ id, createdAt, status }) => ({
        value: id,
        label: `${new Date(createdAt).toLocaleString(dateLocale())} · ${STATUS_LOOKS[status].label}`,
      })),
    },
  ].filter(({ items }) => items.length > 0);
  return (
    <Group align="end" gap="xs" wrap="nowrap">
      <Select
        label={i18n.t('Fill in from')}
        placeholder={
          groups.length === 0
            ? i18n.t('Nothing is saved, and nothing has run')
            : i18n.t('A saved input or an earlier run')
        }
        disabled={groups.length === 0}
        searchable
        clearable
        flex={1}
        data={groups}
        value={chosen}
        onChange={(source) => void fill(source).catch(notifyProblem)}
      />
      {chosenInput && (
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={i18n.t('Delete {name}', { name: chosenInput.name })}
          onClick={() => {
            setChosen(null);
            setSaved(saved.filter((each) => each !== chosenInput));
          }}
        >
          <Trash2 size={17} aria-hidden />
        </ActionIcon>
      )}
      <SaveInput
        isFull={saved.length >= MAX_INPUTS}
        isTooLong={input.length > MAX_INPUT_LENGTH}
        onSave={(name) => {
          if (!setSaved(withInput(saved, { name, input }))) {
            notify(i18n.t('The input is not saved: this browser has no room for it.'));
            return;
          }
          setChosen(`${SAVED}${name}`);
        }}
      />
    </Group>
  );
}

/** Asks for the name of an input. */
function SaveInput({
  isFull,
  isTooLong,
  onSave,
}: {
  isFull: boolean;
  isTooLong: boolean;
  onSave: (name: string) => void;
}) {
  const [isOpen, dialog] = useDisclosure();
  const [name, setName] = useState('');
  const save = (): void => {
    if (name.trim() === '') return;
    onSave(name.trim());
    setName('');
    dialog.close();
  };
  const reason = isTooLong
    ? i18n.t('Too long to be saved')
    : isFull
      ? i18n.t('At most {max} are saved', { max: MAX_INPUTS })
      : undefined;
  return (
    <Popover opened={isOpen} onChange={(open) => !open && dialog.close()} trapFocus withinPortal={false}>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<Bookmark size={16} aria-hidden />}
          disabled={reason !== undefined}
          title={reason}
          onClick={dialog.toggle}
        >
          {i18n.t('Save input…')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Group align="end" gap="xs" wrap="nowrap">
          <TextInput
            label={i18n.t('Name of the input')}
            description={i18n.t('Kept in this browser, for this workflow')}
            maxLength={100}
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              // The form around it would start the run.
              event.preventDefault();
              save();
            }}
          />
          <Button onClick={save}>{i18n.t('Save')}</Button>
        </Group>
      </Popover.Dropdown>
    </Popover>
  );
}
