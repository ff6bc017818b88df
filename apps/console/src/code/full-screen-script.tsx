import { Button, Group, Menu, Modal } from '@mantine/core';
import { ChevronDown } from 'lucide-react';
import { type KeyboardEvent, useContext, useRef } from 'react';
import { memberPath } from '../components/json-rows.ts';
import { ExpressionFormContext, NodeDataContext, type RenderNodeData, type SampleData } from '../forms/sample-data.ts';
import type { TextField } from '../forms/text-field.ts';
import { i18n } from '../language/i18n.ts';
import classes from './full-screen-script.module.css';
import { ScriptField } from './script-field.tsx';
import { snippetsFor } from './snippets.ts';
import type { EditorHandle } from './text-editor.tsx';

/** A script on the full screen: its editor with snippets, and beside it the data of its node, which is tested there. */
export function FullScreenScript({
  isOpen,
  onClose,
  ...field
}: TextField & { isReadOnly: boolean; isOpen: boolean; onClose: () => void }) {
  const data = useContext(ExpressionFormContext)?.data;
  const renderData = useContext(NodeDataContext);
  const editor = useRef<EditorHandle>(null);
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      fullScreen
      radius={0}
      title={field.label}
      // The lists of the editor are placed in the window, which a transform would move.
      transitionProps={{ transition: 'fade' }}
      classNames={{ content: classes.content ?? '', body: classes.body ?? '' }}
      closeButtonProps={{ 'aria-label': i18n.t('Close') }}
      onKeyDown={keepFromCanvas}
    >
      {!field.isReadOnly && (
        <Group gap="xs">
          <Menu position="bottom-start" returnFocus={false} onClose={() => editor.current?.focus()}>
            <Menu.Target>
              <Button variant="default" size="xs" rightSection={<ChevronDown size={14} aria-hidden />}>
                {i18n.t('Insert snippet')}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {snippetsFor(outputToRead(data)).map(({ label, source }) => (
                <Menu.Item key={label} onClick={() => editor.current?.insertLines(source)}>
                  {label}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        </Group>
      )}
      <div className={classes.columns} data-single={renderData === undefined}>
        <ScriptField {...field} ref={editor} isFullScreen />
        {renderData && (
          <section className={classes.data} aria-label={i18n.t('Run data')}>
            <NodeData
              render={renderData}
              onInsert={(expression) => {
                editor.current?.insert(expression);
                editor.current?.focus();
              }}
            />
          </section>
        )}
      </div>
    </Modal>
  );
}

function NodeData({ render, onInsert }: { render: RenderNodeData; onInsert: (expression: string) => void }) {
  return render(onInsert);
}

/** Keeps keys from the canvas behind, where they would delete the node; shortcuts with Ctrl work here too. */
function keepFromCanvas(event: KeyboardEvent): void {
  if (!event.ctrlKey && !event.metaKey && event.key !== 'Tab' && event.key !== 'Escape') event.stopPropagation();
}

/** Returns the expression of an output for a snippet: of a node that is not `$input` already, if there is one. */
function outputToRead(data: SampleData | undefined): string {
  const before = data?.before ?? [];
  const id = before.find((one) => !data?.sources.some(({ nodeId }) => nodeId === one)) ?? before[0];
  return id === undefined ? '$trigger' : `$nodes${memberPath(id)}.output`;
}
