import {
  type FolderEntry,
  type ImportedWorkflow,
  isJsonObject,
  type JsonObject,
  parseExactJson,
} from '@deckhand/contracts';
import { Button, FileInput, Group, Stack, Table, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { importN8n } from '../../api/workflows.ts';
import { Dialog } from '../../components/dialog.tsx';
import { DialogForm } from '../../components/form-dialog.tsx';
import { i18n } from '../../language/i18n.ts';

const EMPTY: { readonly file: File | null } = { file: null };

/**
 * Asks for an export of n8n, creates an inactive workflow from it in the current folder, and shows what became of its
 * nodes.
 */
export function ImportN8n({
  workspaceId,
  folder,
  isOpen,
  onClose,
}: {
  workspaceId: string;
  folder: FolderEntry | undefined;
  isOpen: boolean;
  onClose: () => void;
}) {
  const [imported, setImported] = useState<ImportedWorkflow>();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const close = (): void => {
    setImported(undefined);
    onClose();
  };
  const open = (workflowId: string): void => {
    close();
    void navigate({ to: '/w/$workspaceId/workflows/$workflowId', params: { workspaceId, workflowId } });
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      size={imported ? 'xl' : 'md'}
      title={folder ? i18n.t('Import from n8n into {folder}', { folder: folder.name }) : i18n.t('Import from n8n')}
    >
      {imported ? (
        <ImportReport imported={imported} onOpen={open} />
      ) : (
        <DialogForm
          initial={EMPTY}
          submit={i18n.t('Import')}
          act={async ({ file }) => {
            const workflow = parse((await file?.text()) ?? '');
            const created = await importN8n({ workspaceId, folderId: folder?.id ?? null, workflow });
            await queryClient.invalidateQueries({ queryKey: ['workflows', workspaceId] });
            setImported(created);
          }}
          isShownAtField={isInvalid}
          onCancel={close}
        >
          {({ field, error }) => (
            <FileInput
              label={i18n.t('Workflow')}
              description={i18n.t('The JSON file that n8n downloads')}
              accept=".json,application/json"
              required
              {...field('file')}
              error={isInvalid(error) && i18n.t('The file has no JSON object')}
            />
          )}
        </DialogForm>
      )}
    </Dialog>
  );
}

/** @throws SyntaxError without a JSON object. */
function parse(text: string): JsonObject {
  const value = parseExactJson(text);
  if (!isJsonObject(value)) throw new SyntaxError('The file has no JSON object');
  return value;
}

const isInvalid = (error: unknown): boolean => error instanceof SyntaxError;

const LEVELS = { review: i18n.t('Review'), manual: i18n.t('Manual') } as const;

/** What people have to do; nodes that were converted without a difference are counted only. */
function ImportReport({ imported, onOpen }: { imported: ImportedWorkflow; onOpen: (id: string) => void }) {
  const { id, notes, tasks, remarks } = imported;
  const count = (level: 'converted' | keyof typeof LEVELS): number =>
    notes.filter((note) => note.level === level).length;
  return (
    <Stack>
      <Text>
        {i18n.t(
          '{converted} converted, {review} to review, {manual} manual. Manual nodes are stubs: they fail, and have the original in their script.',
          { converted: count('converted'), review: count('review'), manual: count('manual') },
        )}
      </Text>
      {remarks.map((remark) => (
        <Text key={remark}>{i18n.t('The workflow {remark}.', { remark })}</Text>
      ))}
      {tasks.length > 0 && (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{i18n.t('Result')}</Table.Th>
              <Table.Th>{i18n.t('What to do')}</Table.Th>
              <Table.Th>{i18n.t('Nodes')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {tasks.map(({ level, message, nodes }) => (
              <Table.Tr key={`${level}: ${message}`}>
                <Table.Td>{LEVELS[level]}</Table.Td>
                <Table.Td>{message}</Table.Td>
                <Table.Td>{nodes.join(', ')}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      <Group justify="flex-end">
        <Button onClick={() => onOpen(id)}>{i18n.t('Open the workflow')}</Button>
      </Group>
    </Stack>
  );
}
