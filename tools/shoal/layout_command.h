/*
 * `shoal layout`: where the columns of a chunk lie. The command's row in the table of main.c.
 */
#ifndef SHOAL_TOOL_LAYOUT_COMMAND_H
#define SHOAL_TOOL_LAYOUT_COMMAND_H

#include "command.h"

extern const command layout_command;

#endif
